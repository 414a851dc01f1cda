"""The training people behind what is said about one person: what they have, how far apart they are, who is alike."""

from rugcore.explanations.people.distances import PeopleSeen
from rugcore.explanations.people.profiles import ColumnProfile, column_profiles
from rugcore.explanations.people.similar import Difference, SimilarPeople, SimilarPerson, similar_people

__all__ = [
    "ColumnProfile",
    "Difference",
    "PeopleSeen",
    "SimilarPeople",
    "SimilarPerson",
    "column_profiles",
    "similar_people",
]
