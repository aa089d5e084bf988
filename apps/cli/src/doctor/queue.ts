import { InstanceHealthRepository } from '#persistence';
import { inspectRedis, queueBackendOf, type RedisFacts } from '#queue';
import type { Instance } from '../instance';
import { failed, ok, warning, type Check, type Finding } from './finding';

const OLDEST_MAJOR = 7;
/** Name that the queue library gives to the connection of a worker that waits for deliveries. */
const WORKER_SESSION = 'delivery';

/** Checks whether jobs can be stored, and whether there are workers. */
export const QUEUE_CHECK: Check = {
  name: 'queue',
  look: async (instance) => {
    const { REDIS_URL, QUEUE_PREFIX, DATABASE_URL } = instance.config;
    if (!REDIS_URL) return postgresFindings(instance);
    const backend = queueBackendOf({ REDIS_URL, QUEUE_PREFIX, DATABASE_URL });
    if (backend.kind !== 'redis') return [];
    try {
      return redisFindings(await inspectRedis(backend));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return [
        failed(
          'Redis',
          `cannot be asked (${code ?? message})`,
          'Start it, or correct REDIS_URL: deliveries wait meanwhile, and none is lost.',
        ),
      ];
    }
  },
};

function redisFindings({ version, evictionPolicy, appendsToFile, workers }: RedisFacts): Finding[] {
  const isOld = Number.parseInt(version, 10) < OLDEST_MAJOR;
  return [
    isOld ? failed('Redis', version, `Take Redis ${OLDEST_MAJOR} or newer.`) : ok('Redis', version),
    evictionPolicy === 'noeviction'
      ? ok('eviction', evictionPolicy)
      : failed(
          'eviction',
          evictionPolicy,
          'Set maxmemory-policy noeviction: jobs vanish otherwise when memory is short.',
        ),
    appendsToFile
      ? ok('append-only file', 'on')
      : warning(
          'append-only file',
          'off',
          'Set appendonly yes: after a restart deliveries are planned anew, which takes a minute.',
        ),
    workersFinding(workers),
  ];
}

async function postgresFindings(instance: Instance): Promise<Finding[]> {
  const health = new InstanceHealthRepository(await instance.open());
  return [
    ok('backend', 'the database: enough for a small instance'),
    workersFinding(await health.sessionsOf(WORKER_SESSION)),
  ];
}

function workersFinding(workers: number): Finding {
  return workers > 0
    ? ok('workers', `${workers} wait for deliveries`)
    : failed(
        'workers',
        'none waits for deliveries',
        'Start federation-worker (or standalone): nothing is told to partners meanwhile, and nothing is lost.',
      );
}
