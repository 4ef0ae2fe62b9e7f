const {Segmenter} = Intl;

/**
In place of `Intl.Segmenter` in what is bundled: loads ICU's tables, 10 ms of CPU time, when a text is first taken apart
instead of when a package is loaded that may do so.
*/
export class LazySegmenter {
	#segmenter;
	#settings;

	constructor(...settings) {
		this.#settings = settings;
	}

	segment(text) {
		this.#segmenter ??= new Segmenter(...this.#settings);
		return this.#segmenter.segment(text);
	}
}
