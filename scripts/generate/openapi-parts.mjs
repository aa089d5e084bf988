// Parts of the API document that all calls share.

const ENVELOPE = {
  description: 'The answer of every OCS call, as JSON; as XML it is the same tree below the element ocs.',
  type: 'object',
  required: ['ocs'],
  properties: {
    ocs: {
      type: 'object',
      required: ['meta', 'data'],
      properties: {
        meta: {
          type: 'object',
          required: ['status', 'statuscode', 'message'],
          properties: {
            status: { enum: ['ok', 'failure'] },
            statuscode: {
              type: 'integer',
              description: 'Under v1.php 100 for success; under v2.php the HTTP status.',
            },
            message: { type: ['string', 'null'] },
            totalitems: { type: 'string' },
            itemsperpage: { type: 'string' },
          },
        },
        data: { description: 'An object or a list; an empty list if the answer has no data.' },
      },
    },
  },
};

const MEDIUM = { schema: { $ref: '#/components/schemas/OcsEnvelope' } };
const inEnvelope = { content: { 'application/json': MEDIUM, 'text/xml': MEDIUM } };
const headers = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } };

const RESPONSES = {
  OcsDone: { description: 'Done; or, under v1.php, refused for the reason in the envelope', ...inEnvelope },
  OcsRefused: { description: 'Refused (under v2.php) for the reason in the envelope', ...inEnvelope },
  OcsUnknownCaller: { description: 'Without an account', ...inEnvelope },
  OcsTooMany: { description: 'Too many calls, or too many that failed', headers, ...inEnvelope },
  OcsNotNow: { description: 'Not now', headers, ...inEnvelope },
  Refused: { description: 'Refused' },
  TooMany: { description: 'Too many calls, or too many that failed', headers },
  NotNow: { description: 'Not now', headers },
};

/** Components that operations refer to. */
export const COMPONENTS = {
  securitySchemes: {
    password: { type: 'http', scheme: 'basic' },
    token: { type: 'http', scheme: 'bearer' },
    session: { type: 'apiKey', in: 'cookie', name: '__Host-drawbridge' },
  },
  schemas: { OcsEnvelope: ENVELOPE },
  parameters: {
    format: {
      name: 'format',
      in: 'query',
      description: 'Format of the envelope.',
      schema: { type: 'string', enum: ['xml', 'json'], default: 'xml' },
    },
  },
  responses: RESPONSES,
};

const response = (name) => ({ $ref: `#/components/responses/${name}` });

export const FORMAT = { $ref: '#/components/parameters/format' };

/** The answers of a call, in the OCS envelope or without it. */
export function answersOf({ answers, isOcs, needsAccount }) {
  const kind = isOcs ? 'Ocs' : '';
  const own = Object.entries(answers ?? {}).map(([status, description]) => [status, { description }]);
  return {
    ...(answers ? Object.fromEntries(own) : isOcs && { 200: response('OcsDone') }),
    ...(needsAccount && { 401: response('OcsUnknownCaller') }),
    429: response(`${kind}TooMany`),
    503: response(`${kind}NotNow`),
    default: response(`${kind}Refused`),
  };
}
