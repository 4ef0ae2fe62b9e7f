/*
For every frame Ink walks its whole tree, asks Yoga (WebAssembly) where each node lies, and measures and wraps each text.
This stands in for its renderer: where a text lies is found out once for each layout, and a line is put together anew
only where one of its texts is drawn by another function than before. Nothing is done here for what our screens do not
have (borders, backgrounds, clipping, <Static>, screen readers): such a tree is left to Ink. It is performance only:
without it the screen is the same.
*/
import measureText from '../node_modules/ink/build/measure-text.js';
import inkRenderer from '../node_modules/ink/build/renderer.js';
import squashTextNodes from '../node_modules/ink/build/squash-text-nodes.js';
import wrapText from '../node_modules/ink/build/wrap-text.js';
import {lineOf} from './remembered-lines.js';

/** Yoga's `DISPLAY_NONE`. */
const displayNone = 1;

/** By root; undefined for a tree that is left to Ink. */
const frames = new WeakMap();

export default function renderer(root, isScreenReaderEnabled) {
	if (isScreenReaderEnabled || root.staticNode || !root.yogaNode) {
		return inkRenderer(root, isScreenReaderEnabled);
	}

	let frame = frames.get(root);
	if (!frame || isLaidOut(root) || !frame.isAsItWas()) {
		frame = frameOf(root);
		frames.set(root, frame);
	}

	return frame?.draw() ?? inkRenderer(root, isScreenReaderEnabled);
}

/** Whether Yoga has worked anything out since the frame was made: it visits all children of what changed, up to the root. */
function isLaidOut({childNodes: [first]}) {
	return first?.yogaNode?.hasNewLayout() !== false;
}

function frameOf(root) {
	const frame = new Frame(root.yogaNode.getComputedWidth(), root.yogaNode.getComputedHeight());
	root.childNodes[0]?.yogaNode?.markLayoutSeen();
	return frame.add(root, 0, 0) ? frame : undefined;
}

class Frame {
	#width;
	#lines;
	#boxes = [];
	#wrapped = [];
	#output = '';

	constructor(width, height) {
		this.#width = width;
		this.#lines = Array.from({length: height}, () => ({line: '', texts: []}));
	}

	/** Adds what a node writes; false for what only Ink can draw. */
	add(node, offsetX, offsetY) {
		const {yogaNode, nodeName} = node;
		if (!yogaNode || yogaNode.getDisplay() === displayNone) {
			return true;
		}

		const [x, y] = [offsetX + yogaNode.getComputedLeft(), offsetY + yogaNode.getComputedTop()];
		if (nodeName === 'ink-text') {
			return this.#addText(node, x, y);
		}

		this.#boxes.push({node, style: node.style});
		return isPlain(node) && node.childNodes.every(child => this.add(child, x, y));
	}

	#addText(node, x, y) {
		if (node.childNodes.some(({nodeName}) => nodeName !== '#text')) {
			return false;
		}

		const text = squashTextNodes(node);
		if (text !== '') {
			const width = node.yogaNode.getComputedWidth();
			const {textWrap} = node.style;
			const isWrapped = measureText(text).width > width;
			if (isWrapped) {
				this.#wrapped.push({node, textWrap});
			}

			for (const [index, blank] of (isWrapped ? wrapText(text, width, textWrap ?? 'wrap') : text).split('\n').entries()) {
				this.#lines[y + index]?.texts.push({
					node, index, blank, x, transform: undefined, text: undefined,
				});
			}
		}

		return true;
	}

	/** Whether nothing became anything else that does not change the layout. */
	isAsItWas() {
		for (const box of this.#boxes) {
			if (box.node.style !== box.style) {
				if (!isPlain(box.node)) {
					return false;
				}

				box.style = box.node.style;
			}
		}

		return this.#wrapped.every(({node, textWrap}) => node.style.textWrap === textWrap);
	}

	draw() {
		let isNew = false;
		for (const part of this.#lines) {
			if (isOther(part.texts)) {
				part.line = lineOf(part.texts, this.#width);
				isNew = true;
			}
		}

		if (isNew) {
			this.#output = this.#lines.map(({line}) => line).join('\n');
		}

		return {output: this.#output, outputHeight: this.#lines.length, staticOutput: ''};
	}
}

/** Whether one of these texts is another than before. */
function isOther(texts) {
	let isOne = false;
	for (const part of texts) {
		const transform = part.node.internal_transform;
		if (part.text === undefined || transform !== part.transform) {
			const text = transform ? transform(part.blank, part.index) : part.blank;
			part.transform = transform;
			if (text !== part.text) {
				part.text = text;
				isOne = true;
			}
		}
	}

	return isOne;
}

function isPlain({style, internal_static: isStatic, internal_transform: transform}) {
	return !isStatic && !transform && !style.backgroundColor && !style.borderStyle && isVisible(style.overflow) && isVisible(style.overflowX) && isVisible(style.overflowY);
}

function isVisible(overflow) {
	return overflow === undefined || overflow === 'visible';
}
