"""The loop over pairs of patterns, compiled."""

from rugcore.compiled import compiled


@compiled
def add_values(own, compared, share, coefficient, values):
    """values[u, i] += the Shapley value of condition i for a row of pattern own[u], over all patterns compared with.

    coefficient[a, b] = (a - 1)! b! / (a + b)!
    """
    n_conditions = own.shape[1]
    for u in range(own.shape[0]):
        for p in range(compared.shape[0]):
            n_own, n_compared, n_neither = 0, 0, 0
            for i in range(n_conditions):
                n_own += own[u, i] and not compared[p, i]
                n_compared += compared[p, i] and not own[u, i]
                n_neither += not own[u, i] and not compared[p, i]
            if n_neither > 0:
                continue
            for i in range(n_conditions):
                if own[u, i] and not compared[p, i]:
                    values[u, i] += share[p] * coefficient[n_own, n_compared]
                elif compared[p, i] and not own[u, i]:
                    values[u, i] -= share[p] * coefficient[n_compared, n_own]
