// Maps a sample of a processor profile to a stage of the request.

/**
 * The search goes from the innermost function outwards; the first known function decides. So time in a socket that the
 * driver uses counts for the driver.
 */
const OWNERS = [
  ['garbage collection', /^\(garbage collector\)/],
  ['idle', /^\(idle\)/],
  ['instrument', /node:inspector/],
  [
    'row mapping',
    /node_modules\/(?:pg\/lib\/result|pg-types|postgres-(?:date|array|bytea|interval))|dist\/libs\/persistence\/.*(?:-row|rows-of)/,
  ],
  [
    'database round trips',
    /node_modules\/(?:pg|pg-pool|pg-protocol|pgpass|typeorm)\/|dist\/libs\/persistence\//,
  ],
  ['queue', /node_modules\/(?:bullmq|ioredis|redis-parser|msgpackr)\/|dist\/libs\/queue\//],
  ['partners', /node_modules\/undici\/|node:internal\/deps\/undici|dist\/libs\/federation\//],
  ['guard', /dist\/libs\/(?:identity|settings)\/|ocs-guard/],
  [
    'parsing',
    /ocs-input|ocs-request|-parameters\.js|dist\/libs\/ocs\/protocol\/.*(?:input|parameter|form)|request-bodies|canonical-target|node:querystring|fast-querystring/,
  ],
  ['writing', /dist\/libs\/ocs\/protocol\/|-presenter\.js|ocs-reply|rendered-|-lists\.js|share-record/],
  ['use case', /dist\/libs\/(?:sharing|storage|settings)\/|dist\/apps\//],
  [
    'sending',
    /node:_http_outgoing|node_modules\/fastify\/lib\/(?:reply|wrap-thenable)|node_modules\/(?:@fastify\/send|fast-json-stringify)/,
  ],
  ['routing', /node_modules\/(?:fastify|find-my-way|@nestjs|rxjs|avvio|reflect-metadata|@fastify)\//],
  ['edge', /dist\/libs\/platform\//],
];

/** These are used if no owner is found. */
const REST = [
  ['sending', /node:_http_server.*(?:resOnFinish)/],
  [
    'socket',
    /node:(?:net|_http|internal\/(?:stream|streams|http|timers|process|async))|node:(?:events|stream|buffer)/,
  ],
  ['outside of JavaScript', /^\(program\)/],
];

const firstOf = (rules, frames) => {
  for (const frame of frames) {
    const known = rules.find(([, pattern]) => pattern.test(frame));
    if (known) return known[0];
  }
  return undefined;
};

/** @param {string[]} frames `function file`, the innermost first */
export const stageOf = (frames) => firstOf(OWNERS, frames) ?? firstOf(REST, frames) ?? 'other';

const frameOf = ({ callFrame: { functionName, url } }) => `${functionName || '(anonymous)'} ${url}`;

/**
 * Sums the microseconds of a profile by the key of each stack.
 *
 * @param {{nodes: object[], samples: number[], timeDeltas: number[]}} profile of the inspector
 * @param {(frames: string[]) => string} keyOf receives the innermost function first
 */
export function timeBy(profile, keyOf) {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node.id])));
  const framesOf = (id) => {
    const frames = [];
    for (let at = id; at !== undefined; at = parents.get(at)) frames.push(frameOf(nodes.get(at)));
    return frames;
  };
  const keys = new Map(profile.nodes.map(({ id }) => [id, keyOf(framesOf(id))]));
  const times = new Map();
  profile.samples.forEach((id, index) => {
    const key = keys.get(id);
    times.set(key, (times.get(key) ?? 0) + Math.max(0, profile.timeDeltas[index] ?? 0));
  });
  return times;
}
