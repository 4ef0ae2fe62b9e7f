import {type JvmStacks} from '../../../model/jvm-stacks.js';
import {has} from '../hotspot/layout.js';
import {type Jvm} from '../hotspot/jvm.js';
import {fail, ifReadable} from '../target/memory-reader.js';
import {type JavaThread} from './java-thread.js';

/** Levels below this are C1's: without profiling, with some, with all of it (compilationPolicy.hpp). */
const c2Level = 4;

/**
Returns the frames for a compiler thread's work at the moment: `[jit] C2 com.acme.Foo.bar`, with C1's tier, and the
bytecode index where a method is entered within a loop (on-stack replacement). Between two compilations the frames name
no method.
*/
export function compilationStack(
	jvm: Jvm,
	stacks: JvmStacks,
	{address, description: {name}}: JavaThread,
): readonly number[] {
	const method = ifReadable(() => compiledMethod(jvm, address), '');
	return method === '' ? stacks.ofThread(name) : stacks.ofCompilation(name.split(' ', 1)[0], method);
}

/** CompilerThread::_env is set while a compilation is under way; its task must be the same before and after. */
function compiledMethod({vm: {reader, layout: {fields}}, methods}: Jvm, thread: number): string {
	const env = has(fields.compilerEnv) ? reader.word(thread + fields.compilerEnv) : 0;
	if (env === 0) {
		return '';
	}

	const task = reader.pointer(env + fields.compilerTask);
	const method = reader.pointer(task + fields.taskMethod);
	const level = reader.i32(task + fields.taskLevel);
	const bci = reader.i32(task + fields.taskBci);
	if (reader.word(thread + fields.compilerEnv) !== env || reader.word(env + fields.compilerTask) !== task) {
		fail();
	}

	// Only now: a name takes longer to read than a short compilation.
	const {className, name} = methods.at(method).names;
	return `${level > 0 && level < c2Level ? `tier ${level} ` : ''}${className}.${name}${bci >= 0 ? `@${bci}` : ''}`;
}
