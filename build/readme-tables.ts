import {filterHelp} from '../source/query/filter/filter.js';
import {isOfTables, keyTable} from '../source/ui/state/keys.js';
import {optionHelp, optionSpelling} from '../source/options/help.js';
import {optionRows} from '../source/options/table.js';

function table(heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const line = (cells: readonly string[]) => `| ${cells.map(cell => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
	return [line(heads), line(heads.map(() => '---')), ...rows.map(row => line(row))].join('\n');
}

/** The parts of the readme that come from the program's own tables, by the name of their marks. */
export function generatedParts(): Record<string, string> {
	return {
		keys: table(['keys', 'what they do', 'known from'], keyTable
			.filter(row => isOfTables(row))
			.map(({shown, help, knownFrom}) => [`\`${shown}\``, help, knownFrom ?? ''])),
		filter: table(['filter', 'shows'], filterHelp.map(({form, meaning}) => [`\`${form}\``, meaning])),
		options: table(['option', 'what it does'], optionRows.map(([, option]) => [`\`${optionSpelling(option).trim()}\``, optionHelp(option)])),
	};
}

/** The readme with every generated part put between its marks. Throws when a mark is missing. */
export function renderReadme(text: string): string {
	let result = text;
	for (const [name, part] of Object.entries(generatedParts())) {
		const marks = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
		if (!marks.test(result)) {
			throw new Error(`the readme has no marks for ${name}`);
		}

		result = result.replace(marks, (_, open: string, close: string) => `${open}\n${part}\n\n${close}`);
	}

	return result;
}
