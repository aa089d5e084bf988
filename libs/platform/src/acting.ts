import { workContext, type Acting, type ActingRequest, type Actor } from './work-context';

/** Runs `work`, and everything that it starts, for `actor`; undefined if `actAs` will name the actor later. */
export function actingFor<T>(
  actor: Actor | undefined,
  work: () => T,
  request: ActingRequest | undefined = acting()?.request,
): T {
  return workContext.run({ ...workContext.getStore(), scope: { actor, request } }, work);
}

/** Names the actor for the rest of the request, as soon as they are known. Outside of a request it has no effect. */
export function actAs(actor: Actor): void {
  const scope = workContext.getStore()?.scope;
  if (scope) scope.actor = actor;
}

/** The actor and request of the present work; undefined for the gateway itself. */
export function acting(): Acting | undefined {
  return workContext.getStore()?.scope;
}
