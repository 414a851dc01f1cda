"""Tests; the modules beside this one are shared by several of them."""
