import { AsyncLocalStorage } from 'node:async_hooks';

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

interface Scope {
  actor: Actor | undefined;
  readonly request: ActingRequest | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs `work`, and everything that it starts, for `actor`; undefined if `actAs` will name the actor later. */
export function actingFor<T>(
  actor: Actor | undefined,
  work: () => T,
  request: ActingRequest | undefined = scopes.getStore()?.request,
): T {
  return scopes.run({ actor, request }, work);
}

/** Names the actor for the rest of the request, as soon as they are known. Outside of a request it has no effect. */
export function actAs(actor: Actor): void {
  const scope = scopes.getStore();
  if (scope) scope.actor = actor;
}

/** The actor and request of the present work; undefined for the gateway itself. */
export function acting(): Acting | undefined {
  return scopes.getStore();
}
