// The script of an exported flame graph; formats/flame-graph.ts writes its data, build/flame-page.js bundles it.
import {select, selection} from 'd3-selection';
import flamegraph from 'd3-flame-graph';
import {sumOf} from '../../util/sum.js';
import {hash, hashes} from '../../util/printable.js';
import {percentOf, shareError} from '../../query/counters/share.js';
import {formatBytes} from '../../query/columns/format.js';
import {colors, fittingName} from './looks.js';
import './page.css';

// Nothing is animated; d3-flame-graph's transitions, a timer for each box, would only take time.
for (const method of ['transition', 'duration', 'ease', 'delay']) {
	selection.prototype[method] = function () {
		return this;
	};
}

/* global document, matchMedia, Option, window */

/**
Children with a smaller part of the whole are left out: no screen has a pixel for them until their caller is zoomed.
*/
const leastPart = 1 / 20_000;
const fewCallees = 8;
const isTouched = matchMedia('(pointer: coarse)').matches;
const element = id => document.querySelector(`#${id}`);

/** Colours of the states in which threads do not run, as hue, saturation and lightness. */
const stateColors = {
	BLOCKED: [0, 75, 62], WAITING: [212, 60, 66], TIMED_WAITING: [255, 45, 72], IDLE: [215, 12, 75],
};

/** Returns the unpacked data: base64 of gzipped JSON. */
async function unpacked(text) {
	// eslint-disable-next-line no-restricted-globals
	const bytes = Uint8Array.from(atob(text), character => character.codePointAt(0));
	const data = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
	data.callers = data.callerSteps.map((step, stack) => stack - step);
	for (const side of [data.now, data.was ?? {stackSteps: []}]) {
		let stack = 0;
		side.stacks = side.stackSteps.map(step => {
			stack += step;
			return stack;
		});
	}

	return data;
}

/** Returns what widths can show: CPU time, or what events count for; and ticks of all states and of each. */
function measuresOf({now, states, unit, amountTitle}) {
	const found = states.map((name, code) => ({name, code})).filter(({code}) =>
		now.states.includes(code) && now.ticks.some((ticks, index) => ticks > 0 && now.states[index] === code));
	const ticksIn = (title, codes) => ({
		title,
		codes,
		pieceOf: side => side.tickPiece * side.tickScale,
		format: value => `${Math.round(value).toLocaleString('en')} ticks`,
		worth: (side, index) => codes.includes(side.states[index]) ? side.ticks[index] * side.tickScale : 0,
	});
	const amount = {
		title: amountTitle,
		codes: [],
		pieceOf: side => side.amountPiece * side.amountScale,
		format: amountFormats[unit],
		worth: (side, index) => side.amounts[index] * side.amountScale,
	};
	return [
		...(now.amounts.some(value => value > 0) ? [amount] : []),
		...(found.length > 1 ? [ticksIn('ticks, all states', found.map(({code}) => code))] : []),
		...found.map(({name, code}) => ticksIn(`ticks, ${name}`, [code])),
	];
}

/** How amounts are written: microseconds of CPU time, bytes, or numbers of exceptions. */
const amountFormats = {
	cpu: us => us >= 1e6 ? `${(us / 1e6).toFixed(2)} s CPU` : `${(us / 1000).toFixed(1)} ms CPU`,
	alloc: bytes => `${formatBytes(bytes)} allocated`,
	exceptions: count => `${Math.round(count).toLocaleString('en')} exceptions`,
	starts: count => `${Math.round(count).toLocaleString('en')} threads started`,
};

/**
Returns the tree of what is chosen: `v` is a frame's total, `self` its own part, `was` its total in the baseline,
`states` its ticks by state. A frame of the code has its index, one of a thread a number below 0.
*/
function treeOf({callers, frameOf, names, isLine, threads}, {measure, isByThread, isInverted, now, was}) {
	const nodeOf = (frame, n) => ({n, frame, v: 0, self: 0, was: 0, states: undefined, below: undefined, c: []});
	const root = nodeOf(-1, 'all');
	const paths = [];
	const pathOf = stack => {
		if (!paths[stack]) {
			const path = [];
			for (let at = stack; at !== 0; at = callers[at]) {
				path.push(frameOf[at]);
			}

			// Inverted, a stack begins where its samples count: at the first frame from the top that has a line.
			paths[stack] = isInverted
				? path.slice(Math.max(0, path.findIndex(frame => isLine[frame] === 1)))
				: path.reverse();
		}

		return paths[stack];
	};

	const calleeOf = (node, frame) => {
		let callee = node.below ? node.below.get(frame) : node.c.find(other => other.frame === frame);
		if (!callee) {
			callee = nodeOf(frame, frame < 0 ? threads[-1 - frame] : names[frame]);
			node.c.push(callee);
			node.below?.set(frame, callee);
			// Most nodes have few callees: an index of each would take most of the time.
			node.below ??= node.c.length > fewCallees ? new Map(node.c.map(other => [other.frame, other])) : undefined;
		}

		return callee;
	};

	const add = (side, field) => {
		for (const [index, stack] of side.stacks.entries()) {
			const [value, state] = [measure.worth(side, index), side.states[index]];
			if (value <= 0) {
				continue;
			}

			const path = isByThread ? [-1 - side.threads[index], ...pathOf(stack)] : pathOf(stack);
			let node = root;
			root[field] += value;
			for (const frame of path) {
				node = calleeOf(node, frame);
				node[field] += value;
				if (measure.codes.length > 0 && field === 'v') {
					node.states ??= [];
					node.states[state] = (node.states[state] ?? 0) + value;
				}
			}

			node.self += field === 'v' ? value : 0;
		}
	};

	add(now, 'v');
	if (was) {
		add(was, 'was');
	}

	const least = root.v * leastPart;
	const pending = [root];
	for (let node = pending.pop(); node; node = pending.pop()) {
		node.c = node.c.filter(({v}) => v > least).sort((a, b) => a.n < b.n ? -1 : 1);
		node.below = undefined;
		pending.push(...node.c);
	}

	return root;
}

/** Returns the sampling error of a part of a whole, in their unit; NaN if it is unknown. */
const errorOf = (part, whole, piece) => whole / 100 * shareError(percentOf(part, whole), piece > 0 ? whole / piece : 0);

/** Returns a sampling error in brief; nothing if it is unknown. */
const plusMinus = (error, format) => Number.isNaN(error) ? '' : ` ±${format(error)}`;

const hsl = ([hue, saturation, lightness]) => `hsl(${hue} ${saturation}% ${lightness}%)`;

/** As in page.css. */
const labelFont = '12px system-ui, sans-serif';
const labelMargin = 8;
const canvas = document.createElement('canvas').getContext('2d');

/** Returns the width of a label, pixels. */
function widthOf(text) {
	canvas.font = labelFont;
	return canvas.measureText(text).width;
}

// eslint-disable-next-line max-lines-per-function -- The page: its parts share what is shown now.
function main(data) {
	const {packages, packageOf, kinds, states, was} = data;
	const measures = measuresOf(data);
	let [root, shown] = [undefined, undefined];

	/** Returns a frame's change against the baseline and its error. */
	const changeOf = ({v, was: before}) => {
		const {pieceOf} = shown.measure;
		return {
			change: v - before,
			error: Math.hypot(errorOf(v, root.v, pieceOf(shown.now)), errorOf(before, root.was, pieceOf(shown.was))),
		};
	};

	const colorOf = ({data: node, highlight}) => {
		if (highlight) {
			return hsl(colors.search);
		}

		if (was) {
			const {change, error} = changeOf(node);
			const part = Math.abs(change) / Math.max(node.v, node.was);
			return hsl(Math.abs(change) <= error
				? colors.same
				: (shown.isWas === (change > 0) ? colors.less(part) : colors.more(part)));
		}

		const state = states.find((name, code) => stateColors[name] && node.states?.[code] > node.v / 2);
		const kind = ['other', 'library', 'own'][kinds[node.frame] ?? 0];
		return hsl(state ? stateColors[state] : colors[kind](hash(packages[packageOf[node.frame]] ?? '') / hashes));
	};

	const labelOf = ({data: {n, v, self, was: before}}) => {
		const {format, pieceOf} = shown.measure;
		const percent = value => (100 * value / root.v).toFixed(1);
		const error = plusMinus(errorOf(v, root.v, pieceOf(shown.now)), value => `${percent(value)}%`);
		const parts = [`${n}: ${percent(v)}%${error}`, format(v), `self ${percent(self)}%`];
		if (was) {
			const {change, error} = changeOf({v, was: before});
			parts.push(`${shown.isWas ? 'now' : 'before'} ${format(before)}: ${change > 0 ? '+' : '-'}${format(Math.abs(change))}${plusMinus(error, format)}${Math.abs(change) <= error ? ', within the error' : ''}`);
		}

		return parts.join(' · ');
	};

	/**
	Returns as much of a frame's name as its width has room for: without its package, or its class, or only its
	beginning.
	*/
	const nameOf = ({data: {n, frame}, x0, x1}) => {
		const room = ((x1 - x0) * chart.width()) - labelMargin;
		const bare = n.slice((packages[packageOf[frame]] ?? '').length).replace(/^\./, '');
		const method = bare.replace(/^.*\.(?=[^.]+$)/, '');
		return fittingName([n, bare, method], room, widthOf);
	};

	const say = text => {
		element('details').textContent = text;
	};

	/** What the search found; empty if there is none. */
	let found = '';
	const summarize = () => {
		say(found || `${shown.measure.title}: ${shown.measure.format(root.v)} in all`);
	};

	const chart = flamegraph().cellHeight(isTouched ? 24 : 20).inverted(true).minFrameSize(3).resetHeightOnZoom(true)
		.getName(nameOf).label(labelOf).setColorMapper(colorOf).setDetailsHandler(text => {
			if (text) {
				say(text);
			} else {
				summarize();
			}
		}).setSearchMatch(({data: {n}}, words) => words.every(word => n.toLowerCase().includes(word)))
		.setSearchHandler(boxes => {
			// What is below a match counts with it.
			const outermost = boxes.filter(box => !box.ancestors().slice(1).some(({highlight}) => highlight));
			found = `${percentOf(sumOf(outermost, box => box.data.v), root.v).toFixed(1)}% matches, in ${boxes.length} frames`;
			summarize();
		}).onClick(node => {
			say(labelOf(node));
		});

	/** Marks the frames whose names contain all words. */
	function search() {
		const words = element('search').value.toLowerCase().split(/\s+/).filter(Boolean);
		found = '';
		if (words.length > 0) {
			chart.search(words);
		} else {
			chart.clear();
		}
	}

	function reset() {
		chart.resetZoom();
		summarize();
	}

	function draw() {
		const isWas = element('was').checked;
		shown = {
			measure: measures[element('measure').selectedIndex],
			isByThread: element('by-thread').checked,
			isInverted: element('inverted').checked,
			isWas,
			now: isWas ? was : data.now,
			was: isWas ? data.now : was,
		};
		root = treeOf(data, shown);
		chart.width(element('chart').clientWidth);
		select('#chart').datum(root).call(chart);
		drawLegend();
		if (found) {
			search();
		} else {
			summarize();
		}
	}

	function drawLegend() {
		const isShown = (name, code) => stateColors[name] && shown.measure.codes.includes(code);
		const ofStates = states.filter((name, code) => isShown(name, code)).map(name => [name, stateColors[name]]);
		const ofCode = [
			['own code', colors.own()],
			['libraries', colors.library(0.5)],
			['JVM, native', colors.other()],
		];
		const rows = was
			? [['more than before', colors.more(0.7)], ['less', colors.less(0.7)], ['within the error', colors.same]]
			: [...ofCode, ...ofStates];
		element('legend').replaceChildren(...rows.map(([text, color]) => {
			const [row, mark] = [document.createElement('span'), document.createElement('i')];
			mark.style.background = hsl(color);
			row.append(mark, text);
			return row;
		}));
	}

	if (measures.length === 0) {
		say('no stacks were sampled in this window');
		return;
	}

	element('measure').append(...measures.map(({title}) => new Option(title)));
	element('was-label').hidden = !was;
	element('controls').addEventListener('submit', event => {
		event.preventDefault();
	});
	for (const id of ['measure', 'by-thread', 'inverted', 'was']) {
		element(id).addEventListener('change', draw);
	}

	element('search').addEventListener('input', search);
	element('reset').addEventListener('click', reset);
	document.addEventListener('keydown', event => {
		if (event.key === '/' && document.activeElement !== element('search')) {
			event.preventDefault();
			element('search').focus();
		} else if (event.key === 'Escape') {
			reset();
		}
	});
	window.addEventListener('resize', () => {
		chart.width(element('chart').clientWidth).update();
	});
	draw();
}

async function start() {
	try {
		main(await unpacked(element('data').textContent));
	} catch (error) {
		element('details').textContent = `this browser cannot show the graph: ${error}`;
	}
}

start(); // eslint-disable-line unicorn/prefer-top-level-await
