"""A user's graph in two tables, and how one is refused."""

import warnings

import pytest

from graphsieve.data.graph import Graph
from graphsieve.data.own.reader import GraphWarning, read_own_graph
from graphsieve.errors import InputError
from graphsieve.options import ReadingOptions

NODES = """id,label,age,colour,member
a,cat,3,red,True
b,dog,4.5,blue,False
c,cat,1,red,True
d,,2,green,False
e,dog,0,blue,True
f,cat,7,red,False
g,dog,8,red,True
"""
EDGES = """source,target
a,b
b,c
c,b
d,e
e,f
f,g
"""


def read_with_notes(path, **options) -> tuple[Graph, list[str]]:
    """The graph at this path, and what is said about it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph = read_own_graph(path, options=ReadingOptions(**options))
    assert all(one.category is GraphWarning for one in caught), [str(one.message) for one in caught]
    return graph, [str(one.message).removeprefix(f"{path}: ") for one in caught]


def refused(path, **options) -> str:
    """The one line in which the graph at this path is refused."""
    with pytest.raises(InputError) as error:
        read_own_graph(path, options=ReadingOptions(**options))
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)
