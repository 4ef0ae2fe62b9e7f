/*
Names of classes that the JVM generates differ from run to run; with normal names, frames of the same code count
together.
*/

/**
Suffix of a hidden class's name: "/0x00007f2c…" in dumps (JDK 15 and later), "+0x…" in HotSpot's symbols, and
"/1338668845" (a hash) for the anonymous classes of JDK 8 to 14.
*/
const hiddenSuffix = /[/+](?:0x[\da-f]+|\d+)$/i;

/** The class of a lambda expression: "Outer$$Lambda$14" up to JDK 20, "Outer$$Lambda" since. */
const lambdaClass = /^(.*\$\$Lambda)(?:\$\d+)?$/s;

/** Classes that core reflection generates for methods called often (JDK 8 to 17). */
const reflectionAccessor
	= /^((?:sun|jdk\.internal)\.reflect\.Generated(?:Method|Constructor|SerializationConstructor)Accessor)\d+$/;

/** Proxies of java.lang.reflect: "com.sun.proxy.$Proxy3" (JDK 8 to 15), "jdk.proxy2.$Proxy3" since. */
const jdkProxy = /^((?:.*\.)?)\$Proxy\d+$/s;
const proxyModule = /^jdk\.proxy\d+\.$/;

/**
Subclasses with a number, hash or random suffix: of CGLIB, Spring ("Shop$$EnhancerBySpringCGLIB$$1a2b3c4d",
"Shop$$SpringCGLIB$$0") and Guice, of Byte Buddy, Hibernate and Mockito ("Shop$HibernateProxy$Ab12Cd34"), of Javassist
("Shop_$$_jvst5a4_1").
*/
const generatedSubclass = new RegExp([
	/^(.*\$\$(?:Enhancer|FastClass|KeyFactory)By(?:(?:Spring)?CGLIB|Guice))\$\$[\da-f]+(?:_\d+)?$/,
	/^(.*\$\$SpringCGLIB(?:\$\$FastClass)?)\$\$\d+$/,
	/^(.*\$(?:ByteBuddy|Hibernate(?:(?:Basic)?Proxy|AccessOptimizer|Instantiator)|MockitoMock|auxiliary))\$\w+$/,
	/^(.*_\$\$_(?:jvst|javassist))[\da-f_]+$/,
].map(({source}) => source).join('|'), 's');

const jdkPackage = /^(?:java|javax|jdk|sun|com\.sun)\./;

/** Whether a class is part of the JDK, by its package. */
export function isOfJdk(className: string): boolean {
	return jdkPackage.test(className);
}

/** Returns the class name without what changes from run to run, as in those of lambdas, accessors and proxies. */
export function normalClassName(name: string): string {
	const visible = name.replace(hiddenSuffix, '');
	// Most names have no digit and no $. They need none of the expressions below, which would cost for each method.
	if (!/[$\d]/.test(visible)) {
		return visible;
	}

	const [, proxyPackage] = jdkProxy.exec(visible) ?? [];
	if (proxyPackage !== undefined) {
		return `${proxyPackage.replace(proxyModule, 'jdk.proxy.')}$Proxy`;
	}

	const stable = lambdaClass.exec(visible)?.[1] ?? reflectionAccessor.exec(visible)?.[1];
	return stable ?? generatedSubclass.exec(visible)?.slice(1).find(Boolean) ?? visible;
}

/**
Classes that java.lang.invoke generates, with HotSpot's `Hidden` frames: lambda forms, and the classes of lambdas,
pattern switches, string concatenations and calls of caller-sensitive methods.
*/
const invocationGlue = /^java\.lang\.invoke\.|\$\$(?:Lambda|InjectedInvoker|StringConcat|TypeSwitch)(?![^$/+.])/;

/** Whether a class only passes calls on to methods of other classes, if its methods have no line numbers. */
export function isInvocationGlue(className: string): boolean {
	return invocationGlue.test(className);
}
