import { InstanceHealthRepository } from '#persistence';
import { ConfigError } from '#platform';
import {
  inspectRedis,
  inspectSentinels,
  queueBackendOf,
  WORKER_SESSION,
  type QueueBackend,
  type RedisFacts,
} from '#queue';
import type { Instance } from '../instance';
import { failed, ok, warning, type Check, type Finding } from './finding';
import { sentinelFindings } from './sentinels';

const OLDEST_MAJOR = 7;

/** Checks whether jobs can be stored, and whether there are workers. */
export const QUEUE_CHECK: Check = {
  name: 'queue',
  look: async (instance) => {
    if (!instance.config.REDIS_URL) return postgresFindings(instance);
    const backend = backendOf(instance);
    if (!('kind' in backend)) return [backend];
    if (backend.kind !== 'redis') return [];
    const sentinels = backend.sentinels
      ? sentinelFindings(await inspectSentinels(backend), backend.sentinels.master)
      : [];
    try {
      const facts = await inspectRedis(backend);
      return [...sentinels, ...redisFindings(facts), ...(backend.sentinels ? replicaFindings(facts) : [])];
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return [
        ...sentinels,
        failed(
          'Redis',
          `cannot be asked (${code ?? message})`,
          'Start it, or correct REDIS_URL. Until then, deliveries wait; none is lost.',
        ),
      ];
    }
  },
};

function backendOf({ config }: Instance): QueueBackend | Finding {
  try {
    return queueBackendOf(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return failed('Redis', error.message, 'No process that uses the queue starts so.');
  }
}

function redisFindings({ version, evictionPolicy, appendsToFile, workers }: RedisFacts): Finding[] {
  const isOld = Number.parseInt(version, 10) < OLDEST_MAJOR;
  return [
    isOld ? failed('Redis', version, `Take Redis ${OLDEST_MAJOR} or newer.`) : ok('Redis', version),
    evictionPolicy === 'noeviction'
      ? ok('eviction', evictionPolicy)
      : failed(
          'eviction',
          evictionPolicy,
          'Set maxmemory-policy noeviction: otherwise Redis removes jobs when memory is short.',
        ),
    appendsToFile
      ? ok('append-only file', 'on')
      : warning(
          'append-only file',
          'off',
          'Set appendonly yes: otherwise a restart loses the schedule of deliveries, which takes a minute to build again.',
        ),
    workersFinding(workers),
  ];
}

function replicaFindings({ replicas }: RedisFacts): Finding[] {
  return [
    replicas > 0
      ? ok('replicas', `${replicas} of the master`)
      : warning('replicas', 'the master has none', 'Start one: nothing can take over from the master.'),
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
        'Start federation-worker (or standalone). Until then, messages to partners wait; none is lost.',
      );
}
