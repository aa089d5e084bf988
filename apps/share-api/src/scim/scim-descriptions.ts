const FAILURES = { 401: 'The token is missing or wrong.', 429: 'Too many calls.' };

/** Parameters of lists, for the API document. */
export const SCIM_QUERY = {
  type: 'object',
  properties: {
    filter: { type: 'string', description: 'A filter of RFC 7644, section 3.4.2.2.' },
    startIndex: { type: 'integer', description: 'First result, from 1.' },
    count: { type: 'integer', description: 'Maximum number of results: 100 by default, at most 200.' },
    attributes: { type: 'string', description: 'Attributes to show, separated by commas.' },
    excludedAttributes: { type: 'string', description: 'Attributes to leave out, separated by commas.' },
  },
} as const;

/** A body of SCIM, for the API document. */
export const SCIM_BODY = {
  body: { type: 'object', properties: { schemas: { type: 'array', items: { type: 'string' } } } },
  bodyType: 'application/scim+json',
} as const;

/** Meanings of answers, for the API document. */
export const SCIM_ANSWERS = {
  list: {
    200: 'One page of the list.',
    400: 'The filter cannot be read, or would read too many resources.',
    ...FAILURES,
  },
  create: { 201: 'Created.', 400: 'The body cannot be read.', 409: 'The name is taken.', ...FAILURES },
  read: {
    200: 'The resource.',
    304: 'It has not changed.',
    404: 'The client has no such resource.',
    ...FAILURES,
  },
  change: {
    200: 'Changed.',
    ...{
      400: 'The body cannot be read.',
      404: 'The client has no such resource.',
      409: 'The name is taken.',
    },
    412: 'It has changed since.',
    ...FAILURES,
  },
  remove: {
    204: 'Removed.',
    404: 'The client has no such resource.',
    412: 'It has changed since.',
    ...FAILURES,
  },
} as const;
