import { acting, originText, type Actor } from '#platform';

/** A user id or a host is no longer; what a partner claims to be is cut. */
const MAX_NAME = 512;

/**
 * On whose behalf the caller is at work, as triggers of `audit_event` read it: JSON with kind, name, peer, address and
 * request; with `origin`, which messages to partners keep. `''` where nothing of it is known.
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
    return { kind: actor.kind, name: actor.hostKey?.slice(0, MAX_NAME), peer: actor.peerId };
  return { kind: actor?.kind };
}
