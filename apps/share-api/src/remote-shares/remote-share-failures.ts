import { OcsFailure } from '#ocs/http';
import { ReceivedShareRefused, type ReceivedShareFailure } from '#sharing';

/** Texts of deployed servers, which clients compare: each call has its own. Source: ocs-facts 8. */
const MESSAGES: Readonly<Record<ReceivedShareFailure, string>> = {
  'nothing-to-read': 'share does not exist',
  'nothing-to-decide': "wrong share ID, share doesn't exist.",
  'nothing-to-leave': 'Share does not exist',
};

/** Converts refusals of calls about received shares into OCS failures. */
export function remoteShareFailure(error: unknown): OcsFailure | undefined {
  return error instanceof ReceivedShareRefused ? new OcsFailure(404, MESSAGES[error.failure]) : undefined;
}
