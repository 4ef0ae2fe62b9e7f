/** PcDescs of [code offset, scope offset], with the sentinels that HotSpot puts at both ends. */
export function pcDescs(...entries: Array<[number, number]>): Uint8Array {
	const view = new DataView(new ArrayBuffer((entries.length + 2) * 16));
	for (const [index, [pc, scope]] of [[-1, 0], ...entries, [1000, 0]].entries()) {
		view.setInt32(index * 16, pc, true);
		view.setInt32((index * 16) + 4, scope, true);
	}

	return new Uint8Array(view.buffer);
}
