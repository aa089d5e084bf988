import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Database } from '../../database';
import { OfferBlockEntity } from '../../entities/partners/offer-block.entity';
import { int8, nullable, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { actingText } from '../../acting-text';

/** A person at a partner whose offers an account blocks; `person` is empty for everybody there. */
export interface OfferBlockRow {
  readonly id: number;
  readonly hostKey: string;
  readonly person: string;
  readonly createdAt: Date;
}

/** An existing block keeps its id; the id is null if the account has the maximum of blocks. */
const ADD = statement({
  name: 'offer_block.add',
  params: { uid: text, hostKey: text, person: text, most: int8, acting: text },
  row: { id: nullable(int8) },
  sql: `WITH there AS (SELECT id FROM offer_block WHERE uid = :uid AND host_key = :hostKey AND person = :person),
     made AS (
       INSERT INTO offer_block (uid, host_key, person) SELECT :uid, :hostKey, :person
       WHERE NOT EXISTS (SELECT FROM there) AND (SELECT count(*) FROM offer_block WHERE uid = :uid) < :most AND ${ACTING}
       ON CONFLICT DO NOTHING RETURNING id
     )
   SELECT coalesce((SELECT id FROM there), (SELECT id FROM made)) AS id`,
});

/** People and servers whose offers accounts block. */
@Injectable()
export class OfferBlockRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(OfferBlockEntity)
    private readonly blocks = database.reader(OfferBlockEntity),
  ) {}

  /** @returns its id; undefined if the account already has `most` blocks */
  async add(uid: string, hostKey: string, person: string, most: number): Promise<number | undefined> {
    const values = { uid, hostKey, person, most, acting: actingText() };
    return (await this.database.rows(ADD, values))[0]!.id ?? undefined;
  }

  list(uid: string): Promise<OfferBlockRow[]> {
    return this.blocks.find({ where: { uid }, order: { id: 'ASC' } });
  }

  /** @returns whether the account had this block */
  async remove(uid: string, id: number): Promise<boolean> {
    const removed = await this.database.write(OfferBlockEntity, (blocks) => blocks.delete({ uid, id }));
    return removed.affected === 1;
  }
}
