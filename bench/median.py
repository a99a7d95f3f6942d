"""The median of some values, and how sure it is: for all that is measured in rounds."""
import math
import statistics


def interval(values):
    """[median, low, high]: the narrowest pair of values that holds the true median with at least 95 % confidence, by the binomial
    distribution of how many lie below it (as heddle::median_interval); of fewer than nine values, the least and the largest."""
    values, low = sorted(values), 0
    n = len(values)
    while low + 1 < n / 2 and 2 * sum(math.comb(n, k) for k in range(low + 2)) / 2**n <= 0.05:
        low += 1
    return [statistics.median(values), values[low], values[n - 1 - low]]
