"""`graphsieve <command>`: what `pip install` puts on the path."""

import argparse
import sys

from graphsieve.errors import run_program


class HelpFormatter(argparse.ArgumentDefaultsHelpFormatter):
    """Tells defaults, where there are any to tell."""

    def _get_help_string(self, action: argparse.Action) -> str:
        says_nothing = action.default in (None, (), []) or action.default is False
        return action.help if says_nothing else super()._get_help_string(action)


def main() -> None:
    """A user's mistake ends in one sentence; an interrupt leaves no file half-written."""
    try:
        run_program(_run)
    except KeyboardInterrupt:
        sys.exit("interrupted: no file was left half-written")


def _run() -> None:
    from graphsieve_command import rank  # here, because an interrupt may come while it is imported

    parser = argparse.ArgumentParser(prog="graphsieve", description="Which node features does a GNN really need?")
    commands = parser.add_subparsers(title="commands", required=True, metavar="command")
    for name, command in {"rank": rank}.items():
        described = {"help": command.SUMMARY, "description": command.SUMMARY, "epilog": command.FILES}
        own = commands.add_parser(name, formatter_class=HelpFormatter, **described)
        command.add_arguments(own)
        own.set_defaults(run=command.run)
    arguments = parser.parse_args()
    arguments.run(arguments)
