import {command} from '../options/command.js';
import {checkPattern} from '../options/method-pattern.js';
import {usage} from '../runtime/errors.js';

const maxPatterns = 500;
const example = 'tprof-top trace 4711 com.acme.Foo#bar "com.acme.dao.*"';

export const traceCommand = command({
	name: 'trace',
	usage: 'PID PATTERN',
	help: 'count and time calls of matching methods, with an agent in the JVM',
	options: {
		groups: ['sampling', 'view', 'batch', 'files', 'trace', 'other'],
		except: ['last'],
		also: ['record', 'max-size'],
	},
	hasScreen: true,
	needsLinux: true,
	checksFormat: true,
	/** Returns the target, and patterns of methods: Class#method, Class.method, globs, @Annotation. */
	read([target, ...patterns]) {
		if (target === undefined || patterns.length === 0) {
			throw usage(
				target === undefined
					? 'trace needs a target and at least one pattern'
					: 'trace needs at least one pattern: the methods to trace',
				example,
			);
		}

		if (patterns.length > maxPatterns) {
			throw usage(`more than ${maxPatterns} patterns`, `* and ? match any characters: ${example}`);
		}

		return {target, patterns: patterns.map(pattern => checkPattern(pattern, example))};
	},
	async run(given, options) {
		const {trace, traceOnScreen} = await import('./trace.js');
		return options.onScreen ? traceOnScreen(given, options) : trace(given, options);
	},
});
