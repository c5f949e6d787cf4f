/** Whether calls go out, in one sentence, and what holds them. */
import { type Standing, standingOf } from "../../data/Overview.ts"
import type { Overview } from "../../data/Wire.ts"
import { useReason } from "../../ui/Reason.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { Icon, type IconName } from "../../ui/Icon.tsx"
import { Time } from "../../ui/Time.tsx"

const looks: Readonly<Record<Standing["kind"], readonly [tone: string, icon: IconName]>> = {
  storage: ["bad", "warning"],
  all_paused: ["bad", "pause"],
  paused: ["bad", "pause"],
  no_worker: ["bad", "warning"],
  carriers: ["bad", "warning"],
  calling: ["good", "phone"],
  starting: ["good", "phone"],
  held: ["warn", "clock"],
  idle: ["quiet", "check"]
}

/** Nothing is known of this moment. */
const stale = ["quiet", "clock"] as const

export interface StandingBannerProps {
  readonly overview: Overview
  /** Whether it could not be read again. */
  readonly isStale: boolean
}

export const StandingBanner = ({ isStale, overview }: StandingBannerProps) => {
  const { now } = useTexts()
  const reason = useReason()
  const standing = standingOf(overview)
  const [tone, icon] = isStale ? stale : looks[standing.kind]
  return (
    <section className={`standing ${tone}`} aria-label={now.standing}>
      <Icon name={icon} size={28} />
      <div>
        <h2>
          {isStale && (
            <>
              {now.asOf} <Time at={overview.at} form="clock" />
              {": "}
            </>
          )}
          {now.standings[standing.kind]}
        </h2>
        <p>
          {standing.kind === "calling" && now.callingNow(standing.live, overview.calls.queued)}
          {standing.kind === "held" && (
            <>
              {now.heldBy(standing.calls, reason(standing.by.status_code, standing.by.reason))}
              {standing.by.first_due !== null && (
                <>
                  {` ${now.nextDue} `}
                  <Time at={standing.by.first_due} isRelative />
                </>
              )}
            </>
          )}
          {standing.kind === "carriers" && (now.carrierStopped(standing.carrier.name, reasonOf(standing)))}
          {standing.kind !== "calling" && standing.kind !== "held" && standing.kind !== "carriers" &&
            now.help[standing.kind]}
        </p>
      </div>
    </section>
  )
}

const reasonOf = ({ carrier }: Extract<Standing, { readonly kind: "carriers" }>): string =>
  [carrier.reason?.code, carrier.reason?.message].filter((part) => part !== undefined).join(" ")
