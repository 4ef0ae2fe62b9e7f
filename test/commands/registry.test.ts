import {expect, test} from 'vitest';
import {commands, namedCommands} from '../../source/commands/command-registry.js';
import {spellingOf, takes} from '../../source/options/command.js';
import {groupTitles} from '../../source/options/option.js';
import {optionRows} from '../../source/options/table.js';

const options = optionRows.map(([, option]) => option);

test('no two commands have the same name or spelling, and each that is typed begins with its name', () => {
	expect(new Set(commands.map(({name}) => name)).size).toBe(commands.length);
	expect(new Set(commands.map(command => spellingOf(command))).size).toBe(commands.length);
	for (const command of namedCommands) {
		expect(spellingOf(command).split(' ')[0]).toBe(command.name);
	}
});

test.each(commands.map(command => [command.name, command] as const))(
	'%s takes options that there are, and says none twice',
	(_, command) => {
		const {groups = [], except = [], also = []} = command.options;
		expect(Object.keys(groupTitles)).toEqual(expect.arrayContaining([...groups]));
		const inGroups = options.filter(({group}) => groups.includes(group)).map(({name}) => name);
		const others = options.filter(({group}) => !groups.includes(group)).map(({name}) => name);
		expect(inGroups).toEqual(expect.arrayContaining([...except]));
		expect(others).toEqual(expect.arrayContaining([...also]));
		expect(new Set([...groups, ...except, ...also]).size).toBe(groups.length + except.length + also.length);
	},
);

test('each option applies to a command', () => {
	expect(options.filter(option => !commands.some(command => takes(command, option)))).toEqual([]);
});
