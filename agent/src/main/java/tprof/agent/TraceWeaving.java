package tprof.agent;

import java.lang.instrument.Instrumentation;
import java.util.*;
import org.objectweb.asm.*;

/** Weaves the traced methods. */
final class TraceWeaving extends Weaving {
	/** Null after `drop`. */
	private volatile Recorder recorder;
	private volatile Choice choice;

	TraceWeaving(Instrumentation instrumentation, Recorder recorder, Channel channel) {
		super(instrumentation, channel, recorder.budget);
		this.recorder = recorder;
	}

	/** Weaves the chosen methods, and restores those no longer chosen. */
	void weave(Choice next, Survey survey) {
		Set<Class<?>> touched = woven();
		touched.addAll(survey.classes);
		touched.removeAll(survey.inUse);
		for (Map.Entry<String, String> each : survey.refused.entrySet()) {
			refuse(each.getKey(), each.getValue());
		}

		choice = next;
		begin(touched);
	}

	@Override
	Collection<Class<?>> meant() {
		return choice.hasAbstracts()
				? new Survey(instrumentation, choice, channel, recorder.budget).classes
				: Collections.<Class<?>>emptyList();
	}

	/** Weaves these methods again, which were thinned or released. */
	void weaveAnew(List<Methods.Woven> changed) {
		if (changed.isEmpty()) {
			return;
		}

		Set<Class<?>> touched = new HashSet<Class<?>>();
		for (Class<?> type : woven()) {
			for (Methods.Woven method : changed) {
				if (method.className.equals(type.getName())) {
					touched.add(type);
				}
			}
		}

		retransform(touched);
	}

	@Override
	void drop() {
		super.drop();
		recorder = null;
	}

	@Override
	Object enter() {
		Recorder held = recorder;
		return held == null ? null : held.hold();
	}

	@Override
	void leave(Object entered) {
		Recorder held = recorder;
		if (held != null) {
			held.release((ThreadCalls) entered);
		}
	}

	@Override
	byte[] weave(ClassLoader loader, String name, Class<?> type, byte[] bytes) {
		Choice now = choice;
		if (Choice.isNever(name) || now.isLeftToJdk(name)) {
			return null;
		}

		ClassReader reader = ClassFile.reader(bytes);
		Set<String> implemented = now.implemented(type == null ? now.supersOf(loader, reader) : Survey.supersOf(type));
		if (!now.mayMatch(name) && implemented.isEmpty()) {
			return null;
		}

		ClassFile file = ClassFile.of(reader);
		if (type == null && now.mayMatch(name)) {
			now.learn(Collections.singleton(file));
		}

		Map<String, Methods.Woven> wanted = new HashMap<String, Methods.Woven>();
		for (ClassFile.Method each : now.methodsOf(file, implemented)) {
			Methods.Woven method = recorder.methods.of(name, each.name, each.descriptor, now.command.methods);
			if (method == null) {
				boolean isFull = recorder.methods.all().size() < now.command.methods;
				String reason = "as many methods are traced as --max-methods allows";
				refuse(name + "." + each.name, isFull ? "the heap has no room for more methods" : reason);
			} else if (!method.isReleased) {
				method.isHead = now.isHead(file, each);
				wanted.put(each.name + each.descriptor, method);
			}
		}

		byte[] result = weave(name, bytes, wanted);
		return put(loader, name, wanted.size()) ? result : null;
	}

	/** Returns the woven class; removes methods that would be too large from `wanted`. Null if none is left. */
	private byte[] weave(String name, byte[] bytes, Map<String, Methods.Woven> wanted) {
		while (!wanted.isEmpty()) {
			try {
				return new TraceWeaver().weave(bytes, wanted);
			} catch (MethodTooLargeException error) {
				if (wanted.remove(error.getMethodName() + error.getDescriptor()) == null) {
					throw error;
				}

				refuse(name + "." + error.getMethodName(), "it is too large: no code can be added to it");
			}
		}

		return null;
	}
}
