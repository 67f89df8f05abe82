"""The `graphsieve` command of the installed package: its command line, and nothing else.

The package `graphsieve` itself parses no arguments, so that whatever can be done here can be done from Python as well.
"""
