import { CloudIdInvalid, parseCloudId, type FederatedCloudId } from '../addresses/federated-cloud-id';
import { FederationRefused } from './federation-refusal';
import { LIMITS, WireFields } from './wire-fields';

/** `POST {endPoint}/request-share`: a partner's user asks one of our users for a share. */
export interface ShareRequest {
  /** User id of our user, in the requester's spelling. */
  readonly ownerUid: string;
  /** The user who asks. */
  readonly requester: FederatedCloudId;
  /** Id of the node, if it has the form of our ids; otherwise null. */
  readonly nodeId: number | null;
}

/** An id of a node, alone or behind the addresses of private links. */
const NODE = /^(?:\d{1,15}|https?:\/\/[^?#]*\/f\/(\d{1,15}))\/?$/;

/** Reads a request for a share. Source: OCM 1.4, request for a share. @throws FederationRefused fields-missing, field-invalid, recipient-unknown */
export function parseShareRequest(body: unknown): ShareRequest {
  const fields = new WireFields(body);
  fields.require(['owner', 'shareWith', 'share']);
  const share = fields.text('share', LIMITS.uri)!;
  const [whole, linked] = NODE.exec(share) ?? [];
  return {
    ownerUid: cloudId(fields, 'owner').userAsWritten,
    requester: cloudId(fields, 'shareWith'),
    nodeId: whole === undefined ? null : Number(linked ?? whole.replace(/\/$/, '')),
  };
}

function cloudId(fields: WireFields, name: string): FederatedCloudId {
  try {
    return parseCloudId(fields.text(name, LIMITS.address)!);
  } catch (error) {
    if (!(error instanceof CloudIdInvalid)) throw error;
    throw new FederationRefused('field-invalid', name);
  }
}
