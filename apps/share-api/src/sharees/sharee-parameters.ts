import { integer, text, type InputField, type InputOf, type OcsParameters } from '#ocs/protocol';
import type { SearchShareesCommand } from '#sharing';

const PER_PAGE = 200;

const shareType: InputField<number[] | undefined> = {
  read: shareTypesOf,
  schema: { type: 'array', items: { type: 'integer', enum: [0, 1, 6, 9] } },
  about: 'Only these types: one, or a list.',
};

export const SEARCH_SHAREES = {
  search: text('Part of names, ids or addresses.'),
  itemType: text('Kind of the item to share.', { enum: ['file', 'folder'] }),
  page: integer('From 1.', { default: 1 }),
  perPage: integer('Results of each kind on one page.', { default: PER_PAGE }),
  shareType,
};

export function searchCommandOf(input: InputOf<typeof SEARCH_SHAREES>): SearchShareesCommand {
  return {
    search: input.search ?? '',
    itemType: input.itemType,
    page: input.page ?? 1,
    perPage: input.perPage ?? PER_PAGE,
    shareTypes: input.shareType,
  };
}

/** One number, or a list; a single value that is no number counts as missing, as in deployed servers. */
function shareTypesOf(parameters: OcsParameters, name: string): number[] | undefined {
  const single = parameters.text(name);
  if (single !== undefined) return /^\d{1,3}$/.test(single) ? [Number(single)] : undefined;
  if (!parameters.has(name)) return undefined;
  return parameters
    .texts(name)
    .filter((type) => /^\d{1,3}$/.test(type))
    .map(Number);
}
