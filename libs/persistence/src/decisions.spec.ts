import { everyStatement } from '../../testing/src/rigs/every-statement';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { declaredStatements, type AnyStatement } from './statement';

const isDecision = ({ params }: AnyStatement): boolean => 'acting' in params;

/** Statements that write recorded tables without an actor, each with its reason. */
const WITHOUT_ACTOR: Readonly<Record<string, string>> = {
  'share.remove_expired_twin': 'the day ended it, nobody did',
  'share.remove_expired': 'the day ended it, nobody did',
  'share.touch_federated': 'sets the state of delivery',
  'expiring_share.remind_of_ours': 'notes that people were reminded',
  'group_fan_out.offer': 'the transaction acts as the person whose change is carried out',
  'group_fan_out.touch': 'the transaction acts as the person whose change is carried out',
  'group_fan_out.end': 'the transaction acts as the person whose change is carried out',
  'barred_offer.end': 'the partner is open again, and its members get new offers',
  'remote_member.enter_peers': 'a partner of whom nothing is said yet',
  'inbox_share.mark_taken_back': 'sets the state of delivery',
  'delivery.settle': 'the trigger knows which partner refused',
  'decided_deliveries.show_given_up': 'sets the state of delivery',
  'decided_deliveries.show_waiting': 'sets the state of delivery',
  'partner_share.note_read': 'the time of the first read, which the partner caused',
  'partner_share.note_access': 'the trigger knows which partner accepted',
  'offer_arrival.note_answered': 'sets the state of delivery',
  'reshare.grant': 'the trigger knows which partner granted',
  'reshare.give_instead': 'an attempt at another way, which is a delivery',
  'mount.make_group_rows': 'a row that everybody has who is in the group',
  'remote_share.note_root': 'the trigger knows which partner',
  'remote_node.remove_changed_kinds': 'content that a partner no longer shows',
  'remote_node.remove_named': 'content that a partner no longer shows',
  'remote_node.remove_others': 'content that a partner no longer shows',
  'partner_keys.claim': 'asks a question',
  'partner_keys.keep': 'facts that the gateway found out by itself',
  'share_event_effects.decline': 'the refusal of the recipient was recorded',
  'share_event_effects.end': 'its recipient cannot be reached, nobody ended it',
  'share_watch.finish_changed': 'facts that the gateway found out by itself',
  'share_watch.end_expired': 'the day ended it, nobody did',
  'share_watch.forget_ended': 'things that ended long ago',
  'invitation.forget': 'things that ended long ago',
  'node_check.enter_trash': 'a repair by the command of operators',
  'node_check.leave_trash': 'a repair by the command of operators',
  'peer.insert': 'a partner of whom nothing is said yet',
  'peer_rename.enter': 'a partner of whom nothing is said yet',
  'signing_key.insert_first': 'made by the gateway itself',
  'unsigned_offers.withdraw': 'facts that the gateway found out by itself',
};

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

interface Recorded {
  readonly name: string;
  readonly inserted: boolean;
  readonly deleted: boolean;
  readonly columns: readonly string[];
}

/** Tables that triggers record, including tables whose deleted rows delete shares. */
async function recordedTables(): Promise<Recorded[]> {
  const rows = await test.database.dataSource.query<Recorded[]>(
    `SELECT c.relname AS name, bool_or(t.tgtype & 4 <> 0) AS inserted, bool_or(t.tgtype & 8 <> 0) AS deleted,
       array_remove(array_agg(DISTINCT a.attname::text), NULL) AS columns
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(t.tgattr)
     WHERE t.tgname LIKE '%\\_audited' GROUP BY 1`,
  );
  return [...rows, { name: 'node', inserted: false, deleted: true, columns: [] }];
}

function writes(text: string, { name, inserted, deleted, columns }: Recorded): boolean {
  const deletes = deleted && new RegExp(`DELETE FROM ${name}\\b`).test(text);
  const inserts = inserted && new RegExp(`INSERT INTO ${name}\\b`).test(text);
  const changes = [
    ...text.matchAll(new RegExp(`UPDATE ${name}\\b[^;]*?\\bSET\\b(.*?)(?:\\bWHERE\\b|$)`, 'gs')),
    ...text.matchAll(new RegExp(`INSERT INTO ${name}\\b.*?DO UPDATE SET(.*)`, 'gs')),
  ].some(([, sets]) => columns.some((column) => new RegExp(`\\b${column} = `).test(sets!)));
  return deletes || inserts || changes;
}

describe('statements that write recorded decisions', () => {
  it('have the actor as a parameter, or are listed with a reason', async () => {
    const tables = await recordedTables();
    expect(tables.length).toBeGreaterThan(14);
    const statements = await everyStatement(declaredStatements);
    expect(statements.length).toBeGreaterThan(200);
    const writing = statements.filter(({ text }) => tables.some((table) => writes(text, table)));
    const silent = writing.filter((statement) => !isDecision(statement)).map(({ name }) => name);
    expect(silent.sort()).toEqual(Object.keys(WITHOUT_ACTOR).sort());
  });

  it('are the only ones with that parameter, except those that write the audit log itself', async () => {
    const tables = await recordedTables();
    const others = (await everyStatement(declaredStatements)).filter(
      (statement) => isDecision(statement) && !tables.some((table) => writes(statement.text, table)),
    );
    expect(others.map(({ name }) => name).sort()).toEqual([
      'audit.record',
      'audit.record_refusal',
      'database.act',
      'peer_administration.choose_signatures',
      'second_factor.use_recovery_code',
      'stored_write.give_up',
      'throttle.record_lock_out',
    ]);
  });
});
