"""A user's graph in two tables, and how one is refused."""

import pytest

from graphsieve.data.own.reader import read_own_graph
from graphsieve.errors import InputError

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


def refused(path) -> str:
    """The one line in which the graph at this path is refused."""
    with pytest.raises(InputError) as error:
        read_own_graph(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)
