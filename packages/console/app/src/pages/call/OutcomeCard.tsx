/** The outcome, each answer with the words that it rests on. */
import type { AnswerEvidence, Outcome } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Badge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"

export interface OutcomeCardProps {
  readonly outcome: Outcome
  readonly onCite: (sequence: number, quote: string) => void
}

export const OutcomeCard = ({ onCite, outcome }: OutcomeCardProps) => {
  const { call } = useTexts()
  const { answers, evidence, meeting } = outcome
  // A question without an answer has evidence alone.
  const questions = [...new Set([...Object.keys(answers), ...Object.keys(evidence?.answers ?? {})])]
  return (
    <Card
      title={call.outcome}
      actions={
        <Badge tone="accent">
          <Foreign text={outcome.disposition} isLine />
        </Badge>
      }
    >
      {questions.length > 0 && (
        <dl className="answers">
          {questions.map((question) => (
            <Answer
              key={question}
              question={question}
              answer={answers[question]}
              evidence={evidence?.answers[question]}
              onCite={onCite}
            />
          ))}
        </dl>
      )}
      <Facts
        facts={[
          [call.summary, <Foreign key="summary" text={outcome.summary} />],
          [call.leadRating, outcome.lead_rating !== undefined && call.ofTen(outcome.lead_rating)],
          [
            call.callback,
            outcome.callback_requested && <Foreign text={outcome.callback_time_text ?? call.requested} />
          ],
          [
            call.followUp,
            outcome.follow_up !== undefined && <Foreign text={outcome.follow_up_note ?? call.requested} />
          ],
          [
            call.meeting,
            meeting?.requested === true &&
            (meeting.at === undefined
              ? <Foreign text={meeting.time_text ?? call.requested} />
              : <Time at={meeting.at} />)
          ],
          [
            call.doNotCall,
            outcome.do_not_call === true && <Badge tone="bad" icon="warning">{call.doNotCallText}</Badge>
          ]
        ]}
      />
    </Card>
  )
}

interface AnswerProps {
  readonly question: string
  readonly answer: string | undefined
  readonly evidence: AnswerEvidence | undefined
  readonly onCite: (sequence: number, quote: string) => void
}

const Answer = ({ answer, evidence, onCite, question }: AnswerProps) => {
  const { call } = useTexts()
  const { quote, sequence, status } = evidence ?? {}
  return (
    <div>
      <dt>
        <Foreign text={question} />
      </dt>
      <dd>
        {answer === undefined ? <span className="muted">{call.noAnswer}</span> : <Foreign text={answer} />}
        {quote !== undefined && sequence !== undefined && (
          <div>
            <Button tone="quiet" isCompact isLeft onPress={() => onCite(sequence, quote)}>
              <span>
                {call.restsOn}{" "}
                <q>
                  <Foreign text={quote} />
                </q>
              </span>
            </Button>
          </div>
        )}
        {status === "unknown" && <div className="small muted">{call.unsupported}</div>}
      </dd>
    </div>
  )
}
