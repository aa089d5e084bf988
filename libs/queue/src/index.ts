export {
  DeliverMessage,
  LEASE_MS,
  type DeliveryStore,
  type DeliveryWitness,
} from './delivery/deliver-message';
export {
  OutboxRelay,
  type DispatchSource,
  type RelayOptions,
  type WakeSignals,
} from './delivery/outbox-relay';
export { FirstLooks } from './first-looks';
export { InvitationAcceptances } from './invitation-acceptances';
export { JobQueues, QueueAway, type NewJob } from './jobs/job-queues';
export { JobWorkers, type JobProcessor, type JobProcessors } from './jobs/job-workers';
export { queueBackendOf, type QueueBackend } from './jobs/queue-backend';
export { QUEUE_NAMES, QUEUES, readJob, type JobOf, type QueueName } from './jobs/queues';
export { KeyInquiries } from './key-inquiries';
export { PeerInquiries } from './peer-inquiries';
export { OutboxModule, QueueModule } from './queue.module';
export { inspectRedis, type RedisFacts } from './redis-inspection';
export { RequestReply, type AwaitedReply } from './request-reply';
export { Schedules, type Schedule } from './schedules';
export { Verdicts } from './verdicts';
