import {filterHelp} from '../source/query/filter/filter.js';
import {isOfTables, type KeyBinding, keyTable} from '../source/ui/state/keys.js';
import {optionHelp, optionSpelling} from '../source/options/help.js';
import {optionRows} from '../source/options/table.js';
import {views} from '../source/views/view-registry.js';

function table(heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const line = (cells: readonly string[]) =>
		`| ${cells.map(cell => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
	return [line(heads), line(heads.map(() => '---')), ...rows.map(row => line(row))].join('\n');
}

/** The keys of the tables: one that several views have for themselves once, with these views' names. */
function keyRows(): string[][] {
	const rows = new Map<string, {row: KeyBinding; of: Set<string>}>();
	for (const row of keyTable.filter(row => isOfTables(row))) {
		const name = `${row.label} ${row.help}`;
		const {of} = rows.get(name) ?? {of: new Set()};
		rows.set(name, {row, of});
		for (const context of row.contexts) {
			of.add(context);
		}
	}

	return [...rows.values()].map(({row: {label: shown, help, knownFrom}, of}) => {
		const titles = views.filter(({id}) => of.has(id)).map(({title}) => title);
		return [
			`\`${shown}\``,
			titles.length === views.length ? help : `${titles.join(', ')}: ${help}`,
			knownFrom ?? '',
		];
	});
}

/** The parts of the reference that come from the program's own tables, by the name of their marks. */
export function generatedParts(): Record<string, string> {
	return {
		keys: table(['keys', 'what they do', 'known from'], keyRows()),
		filter: table(['filter', 'shows'], filterHelp.map(({form, meaning}) => [`\`${form}\``, meaning])),
		options: table(
			['option', 'what it does'],
			optionRows.map(([, option]) => [`\`${optionSpelling(option).trim()}\``, optionHelp(option)]),
		),
	};
}

/** The reference with every generated part put between its marks. Throws when a mark is missing. */
export function renderReference(text: string): string {
	let result = text;
	for (const [name, part] of Object.entries(generatedParts())) {
		const marks = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
		if (!marks.test(result)) {
			throw new Error(`the reference has no marks for ${name}`);
		}

		result = result.replace(marks, (_, open: string, close: string) => `${open}\n${part}\n\n${close}`);
	}

	return result;
}
