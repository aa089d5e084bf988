import { integer, text, type InputOf } from '#ocs/protocol';

export interface Page {
  readonly search: string;
  readonly limit: number | null;
  readonly offset: number;
}

const MAX_OFFSET = 2 ** 31;

export const PAGE = {
  search: text('Part of the id.'),
  limit: integer('Maximum number of entries.'),
  offset: integer('Number of entries to skip.'),
};

/** `search`, `limit` and `offset` of a list; negative values count as absent. */
export function pageOf({ search = '', limit, offset = 0 }: InputOf<typeof PAGE>): Page {
  return {
    search,
    limit: limit === undefined || limit < 0 ? null : Math.min(limit, MAX_OFFSET),
    offset: Math.min(Math.max(offset, 0), MAX_OFFSET),
  };
}
