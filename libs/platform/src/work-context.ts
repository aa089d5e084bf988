import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracing/span';

/**
 * The actor of a decision: one of our users, a partner's server by its host or id, the operator of a command, or the
 * gateway itself, which has a name if a directory caused the action.
 */
export type Actor =
  | { readonly kind: 'user'; readonly uid: string; readonly secondFactor?: boolean }
  | { readonly kind: 'partner'; readonly hostKey?: string; readonly peerId?: number }
  | { readonly kind: 'operator' }
  | { readonly kind: 'system'; readonly name?: string };

/** The request that causes work. */
export interface ActingRequest {
  /** Its id, as in logs. */
  readonly id: string;
  /** Its client's address. */
  readonly ip: string;
  /** Its raw X-Forwarded-For, which cannot be trusted. */
  readonly forwardedFor?: string;
}

/** The actor and the request of present work. */
export interface Acting {
  /** undefined while it is not known. */
  readonly actor: Actor | undefined;
  /** undefined for work without a request. */
  readonly request: ActingRequest | undefined;
}

/** The same, while the actor can still be named. */
interface ActingScope {
  actor: Actor | undefined;
  readonly request: ActingRequest | undefined;
}

/** Origin of present work: its log lines name it, and it is stored with the messages to partners that the work writes. */
export interface Origin {
  /** Id of the request that began it; null for work without one. */
  readonly requestId: string | null;
  /** The running step; null if there is no trace. */
  readonly span: Span | null;
}

/** All that is known of the present work. */
interface WorkContext {
  readonly origin?: Origin;
  readonly scope?: ActingScope;
}

/** The context of the present work, through all its callbacks and promises. A second storage would be another copy of it for each request. */
export const workContext = new AsyncLocalStorage<WorkContext>();
