/* Names that the JVM makes up differ from run to run, and would separate what belongs together. */

/**
What HotSpot appends to the name of a hidden class: "/0x00007f2c…" as dumps print it (JDK 15 and later), "+0x…" as its
symbol has it, and "/1338668845" (a hash) for the anonymous classes of JDK 8 to 14.
*/
const hiddenSuffix = /[/+](?:0x[\da-f]+|\d+)$/i;

/** The class of a lambda expression: "Outer$$Lambda$14" up to JDK 20, "Outer$$Lambda" since. */
const lambdaClass = /^(.*\$\$Lambda)(?:\$\d+)?$/s;

/** Classes that core reflection writes for a method often called (JDK 8 to 17). */
const reflectionAccessor = /^((?:sun|jdk\.internal)\.reflect\.Generated(?:Method|Constructor|SerializationConstructor)Accessor)\d+$/;

/** Packages of the JDK. */
const jdkPackage = /^(?:java|javax|jdk|sun|com\.sun)\./;

/** Whether a class is the JDK's, by its package. */
export function isOfJdk(className: string): boolean {
	return jdkPackage.test(className);
}

/** The class name without what changes from run to run, as of lambda, hidden and accessor classes. Never throws. */
export function normalClassName(name: string): string {
	const visible = name.replace(hiddenSuffix, '');
	return lambdaClass.exec(visible)?.[1] ?? reflectionAccessor.exec(visible)?.[1] ?? visible;
}
