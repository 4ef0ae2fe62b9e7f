/**
A thread's name without its digits: `http-nio-8080-exec-12` and `http-nio-8080-exec-3` are both `http-nio-*-exec-*`.
*/
export function poolName(name: string): string {
	return name.replaceAll(/\d+/g, '*');
}

/** Items grouped by pool, in the order of their first members. An item that is alone in its pool keeps its own name. */
export function foldPools<Item>(items: readonly Item[], nameOf: (item: Item) => string, kindOf: (item: Item) => unknown = () => ''): Array<{readonly name: string; readonly items: readonly Item[]}> {
	const pools = new Map<string, Item[]>();
	for (const item of items) {
		const key = `${String(kindOf(item))} ${poolName(nameOf(item))}`;
		const pool = pools.get(key);
		if (pool) {
			pool.push(item);
		} else {
			pools.set(key, [item]);
		}
	}

	return Array.from(pools.values(), pool => ({name: pool.length === 1 ? nameOf(pool[0]) : poolName(nameOf(pool[0])), items: pool}));
}
