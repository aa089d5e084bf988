import type { OcsParameters } from '#ocs/protocol';

export interface Page {
  readonly search: string;
  readonly limit: number | null;
  readonly offset: number;
}

const MAX_OFFSET = 2 ** 31;

/** `search`, `limit` and `offset` of a list; what is negative counts as absent. */
export function pageOf(parameters: OcsParameters): Page {
  const limit = parameters.integer('limit');
  const offset = parameters.integer('offset') ?? 0;
  return {
    search: parameters.text('search') ?? '',
    limit: limit === undefined || limit < 0 ? null : Math.min(limit, MAX_OFFSET),
    offset: Math.min(Math.max(offset, 0), MAX_OFFSET),
  };
}
