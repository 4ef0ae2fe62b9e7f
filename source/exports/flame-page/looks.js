/* How frames look on the page of an exported flame graph: colours as hue, saturation and lightness, and labels. */

/** Colours of kinds of code and of changes. `part`, 0 to 1, tells packages apart, or says how great a change is. */
export const colors = {
	own: () => [38, 90, 60],
	library: part => [90 + (75 * part), 32, 68],
	other: () => [0, 0, 74],
	search: [300, 90, 60],
	more: part => [8, 85, 85 - (30 * part)],
	less: part => [215, 80, 85 - (30 * part)],
	same: [0, 0, 80],
};

/**
Returns the first of a frame's names, the longest first, that fits into `room` pixels, or else the beginning of the last
one; nothing if there is no room for a letter. `widthOf`: returns the width of a text, pixels.
*/
export function fittingName(names, room, widthOf) {
	const whole = names.find(name => widthOf(name) <= room);
	if (whole !== undefined) {
		return whole;
	}

	const last = names.at(-1);
	let [fits, tooLong] = [0, last.length];
	while (tooLong - fits > 1) {
		const middle = Math.floor((fits + tooLong) / 2);
		[fits, tooLong] = widthOf(`${last.slice(0, middle)}…`) <= room ? [middle, tooLong] : [fits, middle];
	}

	return fits > 0 ? `${last.slice(0, fits)}…` : '';
}
