import { Injectable } from '@nestjs/common';
import { addressIn, describePerson, localCloudId, readMailAddress } from '#federation/protocol';
import { FoundByMailRepository } from '#persistence';
import { PublicAddress } from '#platform';
import { CachedPolicy } from '#settings';

/** People who agreed to be found by their whole mail address, where an administrator allows it. */
@Injectable()
export class PeopleByMail {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly people: FoundByMailRepository,
    private readonly address: PublicAddress,
  ) {}

  async areNamed(): Promise<boolean> {
    const { answerWebFinger, incoming } = (await this.policy.current()).federation;
    return answerWebFinger && incoming;
  }

  /** @param resource of WebFinger. @returns undefined for nobody */
  async describe(resource: string): Promise<ReturnType<typeof describePerson> | undefined> {
    if (!(await this.areNamed())) return undefined;
    const mail = readMailAddress(addressIn(resource) ?? '');
    const mayBeOwnWord = (await this.policy.current()).ownAccount.email;
    const uid = mail && (await this.people.find(mail.text, mayBeOwnWord));
    if (uid === undefined) return undefined;
    const { url } = this.address;
    return describePerson(localCloudId(uid, url), url);
  }
}
