package tprof.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.MethodTooLargeException;

/** What is woven in the target now: puts it in, into classes that are loaded later too, and takes it out. */
final class Weaving implements ClassFileTransformer {
	final Methods methods = new Methods();
	private final Instrumentation instrumentation;
	private final Recorder recorder;
	private final Channel channel;
	/** Null while nothing is to be woven. */
	private volatile Choice choice;
	final WovenClasses woven;
	/** Of the choice. */
	private volatile Supertypes supertypes = new Supertypes();
	/** Seen at load: implementers among them may have been missed. */
	private volatile boolean hasNewClasses;

	Weaving(Instrumentation instrumentation, Recorder recorder, Channel channel) {
		this.instrumentation = instrumentation;
		this.recorder = recorder;
		this.channel = channel;
		woven = new WovenClasses(instrumentation);
	}

	/** Weaves what the choice means, and takes out what it no longer does. */
	void weave(Choice next, Survey survey) {
		Set<Class<?>> touched = new HashSet<Class<?>>(survey.classes);
		touched.addAll(woven.loaded());
		for (Map.Entry<String, String> each : survey.refused.entrySet()) {
			woven.refuse(each.getKey(), each.getValue());
		}

		boolean isFirst = choice == null;
		supertypes = new Supertypes();
		choice = next;
		if (isFirst) {
			instrumentation.addTransformer(this, true);
		}

		woven.retransform(touched);
	}

	/** Looks for classes that implement what is meant, and were loaded since. */
	void weaveNewClasses() {
		Choice now = choice;
		if (now != null && hasNewClasses && now.hasAbstracts()) {
			hasNewClasses = false;
			Set<Class<?>> missed = new HashSet<Class<?>>();
			Survey survey = Survey.of(instrumentation, now, channel);
			for (Class<?> type : survey.classes) {
				if (!woven.has(type.getName())) {
					missed.add(type);
				}
			}

			woven.retransform(missed);
		}
	}

	/** Weaves these methods anew, which have become cheaper or have been let go. */
	void weaveAnew(List<Methods.Woven> changed) {
		Set<String> names = new HashSet<String>();
		for (Methods.Woven method : changed) {
			names.add(method.className);
		}

		Set<Class<?>> touched = woven.loaded();
		for (java.util.Iterator<Class<?>> each = touched.iterator(); each.hasNext();) {
			if (!names.contains(each.next().getName())) {
				each.remove();
			}
		}

		woven.retransform(touched);
	}

	/** Takes everything out; what was woven stays known. Classes that resist, which has not been seen, are named among the refused. */
	void unweave() {
		if (choice != null) {
			choice = null;
			woven.retransform(woven.loaded());
			instrumentation.removeTransformer(this);
		}
	}

	@Override
	public byte[] transform(ClassLoader loader, String internalName, Class<?> type, ProtectionDomain domain, byte[] bytes) {
		channel.goOn();
		Choice now = choice;
		if (now == null || internalName == null || (type != null && WovenClasses.isHidden(type)) || loader == Weaving.class.getClassLoader()) {
			return null;
		}

		// A thread of the application loads a class: what we call for it does not count.
		ThreadRecord held = recorder.hold();
		String name = internalName.replace('/', '.');
		try {
			if (type == null) {
				hasNewClasses = true;
			}

			if (Choice.isNever(name) || (Pattern.isJdk(name) && !now.mayBeOfJdk())) {
				return null;
			}

			ClassReader reader = ClassFile.reader(bytes);
			Set<String> supers = type == null ? supertypes.of(loader, reader, now) : Survey.supersOf(type);
			return now.mayMatch(name) || !now.implemented(supers).isEmpty() ? weave(now, name, type, bytes, supers) : null;
		} catch (Throwable error) {
			woven.refuse(name, error.toString());
			return null;
		} finally {
			recorder.release(held);
		}
	}

	private byte[] weave(Choice now, String name, Class<?> type, byte[] bytes, Set<String> supers) {
		ClassFile file = ClassFile.of(ClassFile.reader(bytes));
		if (type == null && now.mayMatch(name)) {
			now.learn(Collections.singleton(file));
		}

		Map<String, Methods.Woven> wanted = new HashMap<String, Methods.Woven>();
		List<ClassFile.Method> chosen = now.methodsOf(file, now.implemented(supers));
		for (ClassFile.Method each : chosen) {
			Methods.Woven method = methods.of(name, each.name, each.descriptor, now.command.methods);
			if (method == null) {
				woven.refuse(name + "." + each.name, "as many methods are traced as --max-methods allows");
			} else if (!method.isLetGo) {
				recorder.mayBegin(method, now.isHead(file, each));
				wanted.put(each.name + each.descriptor, method);
			}
		}

		byte[] result = woven(name, bytes, wanted);
		woven.put(name, result == null ? 0 : wanted.size());
		return result;
	}

	/** The class with what is wanted of it, but for methods that would be too large; those are taken out of `wanted`. Null if nothing is left. */
	private byte[] woven(String name, byte[] bytes, Map<String, Methods.Woven> wanted) {
		while (!wanted.isEmpty()) {
			try {
				return Weaver.weave(bytes, wanted);
			} catch (MethodTooLargeException error) {
				if (wanted.remove(error.getMethodName() + error.getDescriptor()) == null) {
					throw error;
				}

				woven.refuse(name + "." + error.getMethodName(), "it is too large: no code can be added to it");
			}
		}

		return null;
	}
}
