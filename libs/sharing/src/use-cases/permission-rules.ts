import {
  conditionsAmong,
  demands,
  repeats,
  SECOND_FACTOR,
  unknownAmong,
  type ShareAttribute,
} from '../domain/attributes';
import { differencesOf, type Compatibility } from '../domain/compatibility';
import { attributesToRepeat, decideAccess, PLAIN_SESSION, STRONG_SESSION } from '../domain/node-access';
import { ALL, clampToKind, exceeds } from '../domain/permissions';
import type { SharingPolicy } from '../domain/policy';
import { isOwn } from '../domain/share';
import { SharingFailed, type SharingFailure } from '../domain/sharing-failed';
import type { NodeFacts, ShareKind } from '../kinds/share-kind';
import type { Caller, Coverage } from '../ports/ports';

/** The maximum permissions that the caller can pass on for the node. @throws SharingFailed not-shareable, second-factor-needed */
export function assertShareable(
  policy: SharingPolicy,
  node: NodeFacts,
  caller: Caller,
  coverage: readonly Coverage[],
): number {
  if (isOwn(node, caller.uid)) return ALL;
  const access = decideAccess([coverage], caller.secondFactor ? STRONG_SESSION : PLAIN_SESSION);
  if (access.missing) throw refusedAt('second-factor-needed', caller, coverage);
  if (!policy.resharing || !access.may('reshare')) throw refusedAt('not-shareable', caller, coverage);
  return access.permissions;
}

/** @returns the permissions as they are stored @throws SharingFailed permissions-invalid, -none or -exceeded */
export function assertPermissions(asked: number, node: NodeFacts, allowed: number): number {
  const permissions = clampToKind(asked, node.kind);
  if (permissions < 0 || permissions > ALL) throw new SharingFailed('permissions-invalid');
  if (permissions === 0) throw new SharingFailed('permissions-none');
  if (exceeds(permissions, allowed)) throw new SharingFailed('permissions-exceeded', { name: node.name });
  return permissions;
}

/** A reshare has to repeat the attributes of the shares that it passes on. @throws SharingFailed attributes-exceeded */
export function assertAttributes(
  given: readonly ShareAttribute[],
  caller: Caller,
  coverage: readonly Coverage[],
): void {
  if (!repeats(given, attributesToRepeat(coverage))) throw refusedAt('attributes-exceeded', caller, coverage);
}

/**
 * Attributes that a reshare need not repeat are enforced here or refused, or kept as deployed servers do. Another server is notified of
 * permissions and of a demanded second factor; it would ignore any other condition.
 * @throws SharingFailed attributes-unknown, attributes-not-carried
 */
export function assertKindAttributes(
  { enforcesAttributes }: ShareKind,
  given: readonly ShareAttribute[],
  coverage: readonly Coverage[],
  compatibility: Compatibility,
): void {
  if (!enforcesAttributes) {
    const condition = conditionsAmong(given).find((one) => !demands([one], SECOND_FACTOR));
    if (condition) throw new SharingFailed('attributes-not-carried', { name: condition.key });
    return;
  }
  if (differencesOf(compatibility).unknownAttributesKept) return;
  const required = attributesToRepeat(coverage);
  const unknown = unknownAmong(given).find((attribute) => !repeats(required, [attribute]));
  if (unknown) throw new SharingFailed('attributes-unknown', { name: `${unknown.scope}/${unknown.key}` });
}

/** Names the received node as deployed servers do: by the caller and its path in their tree. */
function refusedAt(failure: SharingFailure, caller: Caller, coverage: readonly Coverage[]): SharingFailed {
  const mount = coverage.find((item) => item.direct) ?? coverage[0];
  return new SharingFailed(failure, { path: `/${caller.uid}/files${mount?.path ?? ''}` });
}
