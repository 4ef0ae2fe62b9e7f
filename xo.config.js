// Rules and formatting by xo; the few exceptions are data formats and terms of the field.
const config = [
	{ignores: ['dist/**', 'test/fixtures/**', 'demo/**']},
	{
		react: true,
		rules: {
			// Names of the field (args, params, i, env, db...) and short loop counters stay as they are.
			'unicorn/prevent-abbreviations': 'off',
			// Bit masks and byte formats are what the protocol and memory code is made of.
			'no-bitwise': 'off',
			'unicorn/number-literal-case': 'off',
			// One sample after the other is the point of a sampling loop.
			'no-await-in-loop': 'off',
			'unicorn/no-process-exit': 'off',
			'n/prefer-global/process': 'off',
			'n/prefer-global/buffer': 'off',
			// Control characters are filtered on purpose: nothing from the target is trusted.
			'no-control-regex': 'off',
			'capitalized-comments': 'off',
			// Rows of data read best one a line.
			'@stylistic/object-curly-newline': ['error', {multiline: true, consistent: true}],
			// One file of tests starts a JVM for many of them.
			'max-lines': 'off',
			// A single parameter may have a line of its own.
			'@stylistic/function-paren-newline': ['error', 'consistent'],
			'@stylistic/max-len': ['error', {
				// Sentences and data in strings stay whole.
				code: 120,
				tabWidth: 4,
				ignoreStrings: true,
				ignoreTemplateLiterals: true,
				ignoreRegExpLiterals: true,
				ignoreUrls: true,
			}],
			complexity: ['error', 15],
			'max-depth': ['error', 4],
			'max-params': ['error', 5],
			'max-lines-per-function': ['error', {max: 60, skipComments: true, skipBlankLines: true}],
			'unicorn/no-null': 'off',
			// TypeScript's automatic JSX runtime needs no React in scope.
			'react/react-in-jsx-scope': 'off',
			'@typescript-eslint/naming-convention': 'off',
			'@typescript-eslint/prefer-readonly-parameter-types': 'off',
			'@typescript-eslint/no-restricted-types': 'off',
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-call': 'off',
			'@typescript-eslint/no-unsafe-argument': 'off',
			'import-x/extensions': 'off',
			'n/file-extension-in-import': 'off',
		},
	},
	{
		// A benchmark is an experiment in one piece; a test's describe holds its cases.
		files: ['bench/**', 'test/**'],
		rules: {complexity: 'off', 'max-lines-per-function': 'off', 'max-depth': ['error', 5], 'max-params': ['error', 6]},
	},
	{
		// Views add their options to what is asked of all, which interfaces alone allow.
		files: ['source/query/types/query.ts', 'source/views/*/*.ts'],
		rules: {'@typescript-eslint/consistent-type-definitions': 'off'},
	},
];

export default config;
