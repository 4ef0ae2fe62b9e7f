package sun.misc;

import java.lang.reflect.Field;

/** For the compiler only, which hides the JDK's own at --release 8. It is not in the jar. */
public abstract class Unsafe {
	public abstract long getLong(Object object, long offset);

	public abstract long objectFieldOffset(Field field);
}
