from graphsieve.randomness import CONSUMERS, child_integer, generator


def test_consumers_draw_from_different_streams():
    draws = {generator(0, consumer).integers(2**62) for consumer in CONSUMERS}
    assert len(draws) == len(CONSUMERS)


def test_seeds_draw_from_different_streams_and_repeat_themselves():
    assert generator(1, "split").integers(2**62) != generator(2, "split").integers(2**62)
    assert child_integer(3, "graph") == child_integer(3, "graph") != child_integer(4, "graph")
