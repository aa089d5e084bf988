import { OcsFailure } from '#ocs/http';
import { ShareeSearchRefused, type ShareeSearchFailure } from '#sharing';

const WORDS: Readonly<Record<ShareeSearchFailure, string>> = {
  'per-page': 'Invalid perPage argument',
  page: 'Invalid page',
  'item-type': 'Missing itemType',
};

/** Converts refused searches into OCS failures. Source: ocs-facts 9. */
export function shareeFailure(error: unknown): OcsFailure | undefined {
  return error instanceof ShareeSearchRefused ? new OcsFailure(400, WORDS[error.failure]) : undefined;
}
