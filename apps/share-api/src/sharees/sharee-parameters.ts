import type { OcsParameters } from '#ocs/protocol';
import type { SearchShareesCommand } from '#sharing';

const PER_PAGE = 200;

export function searchCommandOf(parameters: OcsParameters): SearchShareesCommand {
  return {
    search: parameters.text('search') ?? '',
    itemType: parameters.text('itemType'),
    page: parameters.integer('page') ?? 1,
    perPage: parameters.integer('perPage') ?? PER_PAGE,
    shareTypes: shareTypesOf(parameters),
  };
}

/** One number, or a list; a single value that is no number counts as absent, as on deployed servers. */
function shareTypesOf(parameters: OcsParameters): number[] | undefined {
  const single = parameters.text('shareType');
  if (single !== undefined) return /^\d{1,3}$/.test(single) ? [Number(single)] : undefined;
  if (!parameters.has('shareType')) return undefined;
  return parameters
    .texts('shareType')
    .filter((type) => /^\d{1,3}$/.test(type))
    .map(Number);
}
