import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In } from 'typeorm';
import type { DirectoryListing, ListedServer } from '#federation/protocol';
import { Database } from '../../database';
import { fromNow, now } from '../../database-clock';
import { DirectoryServiceEntity } from '../../entities/partners/directory-service.entity';

/** A directory service, as operators see it. */
type DirectoryServiceRow = Readonly<DirectoryServiceEntity>;

/** Directory services, and the servers that they listed. */
@Injectable()
export class DirectoryServiceRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(DirectoryServiceEntity)
    private readonly services = database.reader(DirectoryServiceEntity),
  ) {}

  /** All services, in the order of their addresses. */
  list(): Promise<DirectoryServiceRow[]> {
    return this.services.find({ order: { url: 'ASC' } });
  }

  /** Adds a service, or gives it another key, which deletes its list. */
  async put(url: string, publicKey: string): Promise<void> {
    const anew = { federation: '', servers: [], fetchedAt: null, dueAt: now, error: '' };
    await this.database.write(DirectoryServiceEntity, (services) =>
      services.upsert({ url, publicKey, ...anew }, ['url']),
    );
  }

  /** @returns whether it existed */
  async remove(url: string): Promise<boolean> {
    const removed = await this.database.write(DirectoryServiceEntity, (services) => services.delete({ url }));
    return removed.affected === 1;
  }

  /** Claims services that have to be asked now. They are due again after `pauseMs`, whatever the answer is. */
  async claim(pauseMs: number): Promise<DirectoryServiceRow[]> {
    const due = await this.services.createQueryBuilder('s').where('s.due_at <= now()').getMany();
    if (due.length === 0) return [];
    const urls = due.map(({ url }) => url);
    await this.database.write(DirectoryServiceEntity, (services) =>
      services.update({ url: In(urls) }, { dueAt: fromNow(pauseMs) }),
    );
    return due;
  }

  /** Stores an answer, unless the service got another key in the meantime. */
  async keep({ url, publicKey }: DirectoryServiceRow, listing: DirectoryListing): Promise<void> {
    const { federation } = listing;
    const servers = [...listing.servers];
    await this.database.write(DirectoryServiceEntity, (services) =>
      services.update({ url, publicKey }, { federation, servers, fetchedAt: now, error: '' }),
    );
  }

  async fail({ url, publicKey }: DirectoryServiceRow, reason: string): Promise<void> {
    await this.database.write(DirectoryServiceEntity, (services) =>
      services.update({ url, publicKey }, { error: reason }),
    );
  }

  /** The servers of all services by name, each host once. */
  async servers(): Promise<ListedServer[]> {
    const services = await this.services.find({
      select: { url: true, servers: true },
      order: { url: 'ASC' },
    });
    const listed = new Map(
      services.flatMap(({ servers }) => servers.map((one) => [one.hostKey, one] as const)),
    );
    return [...listed.values()].sort((one, other) => one.name.localeCompare(other.name));
  }
}
