/** The probes that come along, the usual one first; a file of that name in probes/ each. */
export const shippedProbes: readonly string[] = ['executors', 'virtual-threads', 'aeminium'];
