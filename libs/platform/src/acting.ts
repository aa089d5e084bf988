import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The actor of a decision: one of our users, a partner's server by its host or id, the operator of a command, or the
 * gateway itself, with a name where a directory makes it act.
 */
export type Actor =
  | { readonly kind: 'user'; readonly uid: string; readonly secondFactor?: boolean }
  | { readonly kind: 'partner'; readonly hostKey?: string; readonly peerId?: number }
  | { readonly kind: 'operator' }
  | { readonly kind: 'system'; readonly name?: string };

/** The request that something is done for. */
export interface ActingRequest {
  /** Its id, as in logs. */
  readonly id: string;
  /** The address that it comes from. */
  readonly ip: string;
  /** Its X-Forwarded-For as it came: not to be believed. */
  readonly forwardedFor?: string;
}

/** On whose behalf something is done. */
export interface Acting {
  /** undefined while it is not known. */
  readonly actor: Actor | undefined;
  /** undefined where it is done for no request. */
  readonly request: ActingRequest | undefined;
}

interface Scope {
  actor: Actor | undefined;
  readonly request: ActingRequest | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs `work`, and whatever it begins, on behalf of `actor`; undefined where `actAs` will say it. */
export function actingFor<T>(
  actor: Actor | undefined,
  work: () => T,
  request: ActingRequest | undefined = scopes.getStore()?.request,
): T {
  return scopes.run({ actor, request }, work);
}

/** Says who it is for the rest of the request, as soon as that is known; outside of one it says nothing. */
export function actAs(actor: Actor): void {
  const scope = scopes.getStore();
  if (scope) scope.actor = actor;
}

/** On whose behalf the caller is at work; undefined for the gateway itself. */
export function acting(): Acting | undefined {
  return scopes.getStore();
}
