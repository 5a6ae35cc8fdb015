// Private to base/: days since the Unix epoch to and from the proleptic Gregorian calendar.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct calendar_day {
    int64_t year;
    int month; // 1 to 12
    int day;   // 1 to 31
};

static inline bool calendar_is_leap_year(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static inline int calendar_days_of_month(int64_t year, int month)
{
    assert(month >= 1);
    assert(month <= 12);
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && calendar_is_leap_year(year));
}

// Years start in March here, so that the leap day comes last; an era has 400 of them.
static inline int64_t calendar_to_days(struct calendar_day date)
{
    assert(date.month >= 1);
    assert(date.month <= 12);
    int64_t year = date.year - (date.month <= 2);
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static inline struct calendar_day calendar_from_days(int64_t days)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153;
    struct calendar_day date = {
        .year = year_of_era + era * 400,
        .month = (int)(month < 10 ? month + 3 : month - 9),
        .day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
    };
    date.year += date.month <= 2;
    assert(date.month >= 1);
    assert(date.month <= 12);
    assert(date.day >= 1);
    assert(date.day <= 31);
    return date;
}

// 0 is Sunday; the epoch was a Thursday.
static inline int calendar_weekday(int64_t days)
{
    int64_t weekday = (days + 4) % 7;
    return (int)(weekday < 0 ? weekday + 7 : weekday);
}

// Division that rounds down, also below zero.
static inline int64_t calendar_floor_divide(int64_t value, int64_t divisor)
{
    assert(divisor > 0);
    return value / divisor - (value % divisor < 0);
}
