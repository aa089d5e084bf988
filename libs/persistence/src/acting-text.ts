import { acting, originText, type Actor } from '#platform';
import { AUDIT_BOUNDS } from './audit-bounds';

/**
 * The present actor as JSON, for triggers of `audit_event`: kind, name, peer, address and
 * request, and the `origin` that messages to partners keep. `''` if nothing is known.
 */
export function actingText(): string {
  const { actor, request } = acting() ?? {};
  const origin = originText() ?? undefined;
  if (!actor && !request && origin === undefined) return '';
  return JSON.stringify({ ...nameOf(actor), address: request?.ip, request: request?.id, origin });
}

function nameOf(actor: Actor | undefined) {
  if (actor?.kind === 'user') return { kind: actor.kind, name: actor.uid };
  if (actor?.kind === 'partner')
    return { kind: actor.kind, name: actor.hostKey?.slice(0, AUDIT_BOUNDS.name), peer: actor.peerId };
  if (actor?.kind === 'system') return { kind: actor.kind, name: actor.name };
  return { kind: actor?.kind };
}
