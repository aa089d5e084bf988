import {
  assertBindsUnsigned,
  FederationRefused,
  legacyRefusal,
  ocmRefusal,
  OCM_TAKEN,
  parseBoundedJson,
  parseLegacyNotice,
  parseLegacyOffer,
  parseOcmNotice,
  parseOcmOffer,
  type LegacyAction,
} from '#federation/protocol';
import { readCapture, type Capture } from '../shapes/capture';
import { MANIFEST } from '../shapes/manifest';

/** Calls of a fake partner to a deployed server, one for each possible error. */
const CALLS = MANIFEST['federation']!.compared.filter((name) => name.startsWith('direct/'));

/** Differences of ours, by reason. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  'A folder is a folder, and OCM 1.1 is understood.': [
    'direct/ocm.share.resource-folder.json',
    'direct/ocm.share.protocol-multi.json',
  ],
  'The sender of an offer is required.': ['direct/ocm.share.missing-sender.json'],
  'RESHARE_UNDO is understood; the share is still unknown.': [
    'direct/ocm.notification.RESHARE_UNDO.unknown.json',
  ],
  'An owner without a host, or at no address, could never be answered.': [
    'direct/ocm.share.owner-nohost.json',
    'direct/ocs.share.badremote.v1.json',
  ],
};

/** The day of the recording. */
const RECORDED_AT = new Date('2026-11-21T00:00:00Z');

/** Offers are refused unread if incoming shares are off. */
function refuseOffersBySwitch(name: string): void {
  if (name.includes('incoming-disabled')) throw new FederationRefused('incoming-disabled');
}

/** The state of the recorded server: one account, one share, and the disabled features. */
function refuseByState(
  name: string,
  about: { recipient?: string; providerId?: string; ends?: boolean },
): void {
  if (name.includes('outgoing-disabled')) throw new FederationRefused('outgoing-disabled');
  if (about.recipient !== undefined && about.recipient !== 'alice') {
    throw new FederationRefused('recipient-unknown', about.recipient);
  }
  if (about.providerId !== undefined && about.providerId !== '77' && !about.ends) {
    throw new FederationRefused('share-unknown', about.providerId);
  }
}

interface Answer {
  readonly status: number;
  /** undefined if the call does not use it. */
  readonly message?: string | null;
}

function answerOcm(name: string, capture: Capture): Answer {
  const body = parseBoundedJson(capture.body ?? '');
  try {
    if (capture.target.endsWith('/shares')) {
      refuseOffersBySwitch(name);
      const { shareType, recipientId } = parseOcmOffer(body, RECORDED_AT);
      // As on this server without settings: offers to groups are refused.
      if (shareType !== 'user') throw new FederationRefused('share-type-unsupported', shareType);
      refuseByState(name, { recipient: recipientId });
    } else {
      const notice = parseOcmNotice(body);
      const { kind, providerId } = notice;
      assertBindsUnsigned(notice);
      refuseByState(name, { providerId, ends: kind === 'share-unshared' });
    }
    return OCM_TAKEN;
  } catch (error) {
    if (!(error instanceof FederationRefused)) throw error;
    const answer = ocmRefusal(error);
    return { status: answer.status, message: (answer.body as { message: string }).message };
  }
}

function answerLegacy(name: string, capture: Capture): Answer {
  const form = Object.fromEntries(new URLSearchParams(capture.body ?? ''));
  const [, id, action] = /\/cloud\/shares\/([^/?]+)\/([a-z]+)/.exec(capture.target) ?? [];
  try {
    if (id === undefined) {
      refuseOffersBySwitch(name);
      refuseByState(name, { recipient: parseLegacyOffer(form).recipientId });
    } else {
      const { providerId } = parseLegacyNotice(action as LegacyAction, id, form);
      refuseByState(name, { providerId, ends: action === 'unshare' });
    }
    return { status: capture.target.startsWith('/ocs/v1') ? 100 : 200, message: null };
  } catch (error) {
    if (!(error instanceof FederationRefused)) throw error;
    const { statuscode, message } = legacyRefusal(error, action as LegacyAction | undefined);
    return { status: statuscode, message };
  }
}

function recordedAnswer({ target, reply }: Capture): Answer {
  if (!target.startsWith('/ocs/')) {
    const { message } = JSON.parse(reply.body) as { message?: string };
    return message === undefined ? { status: reply.status } : { status: reply.status, message };
  }
  const code = /"statuscode":(\d+)|<statuscode>(\d+)/.exec(reply.body);
  const message = /"message":(null|"[^"]*")/.exec(reply.body)?.[1] ?? 'null';
  return { status: Number(code?.[1] ?? code?.[2]), message: JSON.parse(message) as string | null };
}

/** Codes are compared, and texts that people read. `Token too long` is ownCloud's answer to a missing token. */
const isOddlyWorded = ({ reply }: Capture): boolean => reply.body.includes('Token too long');
const hasOwnWords = (name: string): boolean => /permissions\.noparams/.test(name);

describe('a recorded call to a deployed server', () => {
  const exceptions = Object.values(OTHERWISE).flat();

  it.each(CALLS.filter((name) => !exceptions.includes(name)))('%s gets the same answer', (name) => {
    const capture = readCapture('federation', name);
    const answer = (capture.target.startsWith('/ocs/') ? answerLegacy : answerOcm)(name, capture);
    const recorded = recordedAnswer(capture);
    expect(answer.status).toBe(recorded.status);
    if (isOddlyWorded(capture) || hasOwnWords(name) || recorded.message === undefined) return;
    expect(answer.message).toBe(recorded.message);
  });

  it('gets another answer only with a listed reason', () => {
    for (const name of exceptions) {
      expect(CALLS).toContain(name);
      const capture = readCapture('federation', name);
      const answer = (capture.target.startsWith('/ocs/') ? answerLegacy : answerOcm)(name, capture);
      expect([name, answer.status]).not.toEqual([name, recordedAnswer(capture).status]);
    }
  });
});
