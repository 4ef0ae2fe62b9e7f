package tprof.agent;

/** The heap has too little room for a session. source/tracing/agent-session.ts reads the message. */
final class NoRoomException extends RuntimeException {
	private static final long serialVersionUID = 1;

	NoRoomException(String message) {
		super(message);
	}

	@Override
	public String toString() {
		return "memory " + getMessage();
	}
}
